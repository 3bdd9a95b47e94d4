"""The one kind of error that is shown to people: what went wrong, and what to do next."""


class Failure(Exception):
    """A failure with a cause and a next step; `detail` holds log lines or the output of a tool."""

    def __init__(self, cause, next_step="", detail=""):
        super().__init__(cause)
        self.cause = cause
        self.next_step = next_step
        self.detail = detail

    def render(self):
        lines = [f"error: {self.cause}"]
        lines += [f"  | {line}" for line in self.detail.splitlines()]
        if self.next_step:
            lines.append(f"next: {self.next_step}")
        return "\n".join(lines)

    def as_dict(self):
        return {"cause": self.cause, "next_step": self.next_step, "detail": self.detail}


class StartFailed(Failure):
    """A component did not become ready. `port_lost`: somebody else took its port meanwhile."""

    def __init__(self, cause, next_step="", detail=""):
        super().__init__(cause, next_step, detail)
        self.port_lost = "address already in use" in detail


class Shutdown(Exception):
    """The cluster has to go: its owner died, or somebody asked for it."""
