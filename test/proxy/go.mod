module dra-claim-controller.test/fault-proxy

go 1.24
