// Command fault-proxy stands between a controller and the API server and does what networks and busy servers do:
// it delays, holds, cuts, refuses and answers in the server's place, as its rules say. See README.md.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

type options struct {
	upstream, ca, cert, key, listen, control string
}

func main() {
	var o options
	flag.StringVar(&o.upstream, "upstream", "", "URL of the API server, https://127.0.0.1:PORT")
	flag.StringVar(&o.ca, "ca", "", "CA certificate that the API server is verified with")
	flag.StringVar(&o.cert, "cert", "", "certificate of the proxy")
	flag.StringVar(&o.key, "key", "", "private key of the proxy")
	flag.StringVar(&o.listen, "listen", "127.0.0.1:0", "address of the proxy (HTTPS)")
	flag.StringVar(&o.control, "control", "127.0.0.1:0", "address of the control endpoint (HTTP)")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "fault-proxy: an HTTPS proxy for an API server, with faults on demand.\n"+
			"It prints one JSON line with its ports and runs until its standard input is closed.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(o); err != nil {
		log.Fatalf("fault-proxy: %v", err)
	}
}

func run(o options) error {
	target, transport, err := upstreamFrom(o)
	if err != nil {
		return err
	}
	certificate, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return fmt.Errorf("-cert, -key: %w", err)
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	controlListener, err := net.Listen("tcp", o.control)
	if err != nil {
		return err
	}
	p := newProxy(target, transport)
	failed := make(chan error, 2)
	go func() { failed <- newServer(p).Serve(tls.NewListener(listener, serverTLS(certificate))) }()
	go func() { failed <- http.Serve(controlListener, p.controlHandler()) }()
	if err := announce(listener, controlListener); err != nil {
		return err
	}
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin) // whoever started the proxy is gone
		failed <- err
	}()
	return <-failed
}

func upstreamFrom(o options) (*url.URL, *http.Transport, error) {
	target, err := url.Parse(o.upstream)
	if err != nil || target.Scheme != "https" || target.Host == "" {
		return nil, nil, fmt.Errorf("-upstream: %q is not an https URL", o.upstream)
	}
	pem, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, nil, fmt.Errorf("-ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, nil, fmt.Errorf("-ca: %s has no certificate", o.ca)
	}
	return target, newTransport(roots), nil
}

// newTransport speaks HTTP/1.1 only, changes nothing on the way and reuses connections.
func newTransport(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}},
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     30 * time.Second,
	}
}

func serverTLS(certificate tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
}

func newServer(p *proxy) *http.Server {
	return &http.Server{
		Handler:      p,
		ConnState:    p.open.track,
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
		ErrorLog:     log.New(io.Discard, "", 0), // a client that hangs up is no news here
	}
}

func announce(listener, control net.Listener) error {
	ports := map[string]int{
		"port":        listener.Addr().(*net.TCPAddr).Port,
		"controlPort": control.Addr().(*net.TCPAddr).Port,
	}
	return json.NewEncoder(os.Stdout).Encode(ports)
}
