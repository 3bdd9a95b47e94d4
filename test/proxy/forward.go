package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const maxRequestBody = 64 << 20

// errCut is why a request ends without a (whole) answer.
var errCut = errors.New("cut by a rule or by /cut")

type proxy struct {
	upstream  *url.URL
	transport http.RoundTripper
	rules     *ruleSet
	journal   *journal
	open      *openSet
}

func newProxy(upstream *url.URL, transport http.RoundTripper) *proxy {
	return &proxy{upstream: upstream, transport: transport, rules: newRuleSet(), journal: newJournal(), open: newOpenSet()}
}

// ServeHTTP handles one request of the controller. Ending it by a panic closes the connection, with the answer cut off.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	t := parseTarget(r, body)
	x := &exchange{proxy: p, target: t, userAgent: r.UserAgent(), started: time.Now(),
		rules: p.rules.forRequest(t, r.UserAgent())}
	p.journal.begin(t)
	defer p.open.add(t, cancel)()
	err = x.serve(ctx, w, r, body)
	p.journal.add(x)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// exchange is one request and its answer.
type exchange struct {
	proxy     *proxy
	target    target
	userAgent string
	rules     []*rule
	started   time.Time
	status    int // 0: no answer
}

func (x *exchange) rule(action string) *rule {
	for _, one := range x.rules {
		if one.Action == action {
			return one
		}
	}
	return nil
}

func (x *exchange) serve(ctx context.Context, w http.ResponseWriter, r *http.Request, body []byte) error {
	if one := x.rule(actDelay); one != nil {
		if err := x.proxy.rules.wait(ctx, one.ID, x.started, chance()); err != nil {
			return err
		}
	}
	if x.rule(actCutBefore) != nil {
		return errCut
	}
	if one := x.rule(actAnswer); one != nil {
		return x.answer(w, one)
	}
	response, err := x.forward(ctx, r, body)
	if err != nil {
		return err // as if the API server itself could not be reached
	}
	defer response.Body.Close()
	if x.rule(actCutAfter) != nil {
		_, _ = io.Copy(io.Discard, response.Body)
		return errCut
	}
	x.status = response.StatusCode
	copyHeaders(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	if err := http.NewResponseController(w).Flush(); err != nil { // a watch may have no event for long
		return err
	}
	return x.relay(ctx, w, response)
}

func (x *exchange) answer(w http.ResponseWriter, one *rule) error {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range one.Headers {
		w.Header().Set(name, value)
	}
	x.status = one.Status
	w.WriteHeader(one.Status)
	_, err := w.Write(one.payload())
	return err
}

func (x *exchange) forward(ctx context.Context, r *http.Request, body []byte) (*http.Response, error) {
	address := *r.URL
	address.Scheme, address.Host = x.proxy.upstream.Scheme, x.proxy.upstream.Host
	out, err := http.NewRequestWithContext(ctx, r.Method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	copyHeaders(out.Header, r.Header)
	if r.UserAgent() == "" {
		out.Header.Set("User-Agent", "") // or Go would add its own
	}
	return x.proxy.transport.RoundTrip(out)
}

// relay passes the body on, flushing at once what arrives.
func (x *exchange) relay(ctx context.Context, w http.ResponseWriter, response *http.Response) error {
	var out io.Writer = flushWriter{w, http.NewResponseController(w)}
	if one := x.rule(actDrip); one != nil {
		out = &dripWriter{ctx, out, one.BytesPerSecond}
	}
	if one := x.rule(actTruncate); one != nil {
		out = &truncateWriter{out, *one.Bytes}
	}
	if x.target.Verb == "watch" && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") &&
		response.Header.Get("Content-Encoding") == "" {
		return x.relayEvents(ctx, out, response.Body)
	}
	_, err := io.Copy(out, response.Body)
	return err
}

// hopByHop are headers that are about a connection, not about a message.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func copyHeaders(to, from http.Header) {
	for name, values := range from {
		to[name] = values
	}
	for _, name := range hopByHop {
		to.Del(name)
	}
}
