"""What the `cluster` tool is made of; start reading at cli.py, then supervisor.py."""
