# SPDX-License-Identifier: Apache-2.0
#
#   docker build -t dra-claim-controller:dev .
#
# The final image holds the binary, the shared libraries that it is linked with and two small files; no shell, no package
# manager. The controller trusts the cluster's CA only, so there are no CA certificates either.

FROM debian:12 AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      cmake g++ ninja-build \
      libboost-dev libcli11-dev libcpprest-dev libsimdjson-dev libspdlog-dev libssl-dev libyaml-cpp-dev \
      nlohmann-json3-dev prometheus-cpp-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY CMakeLists.txt CMakePresets.json ./
COPY controller controller
RUN cmake --preset release -DDRA_BUILD_TESTS=OFF \
 && cmake --build --preset release
# ldd names each library by the path under which the loader will look for it: take them to the same paths.
RUN mkdir -p /image/etc \
 && install -D --strip build/release/dra-claim-controller /image/dra-claim-controller \
 && ldd build/release/dra-claim-controller \
    | awk '$3 ~ "^/" {print $3} $1 ~ "^/" {print $1}' \
    | xargs cp --dereference --parents --target-directory=/image \
 && echo 'nobody:x:65532:65532::/:/' > /image/etc/passwd \
 && echo 'hosts: files dns' > /image/etc/nsswitch.conf

FROM scratch
COPY --from=build /image /
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/dra-claim-controller"]
CMD ["--help"]
