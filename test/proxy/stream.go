package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"time"
)

// event is one line of a watch on its way.
type event struct {
	line     []byte
	arrived  time.Time
	fraction float64 // of the jitter
	rules    []*rule
}

// relayEvents passes a watch on line by line, each when the rules let it go, in the order of arrival.
func (x *exchange) relayEvents(ctx context.Context, out io.Writer, body io.Reader) error {
	queue := newQueue()
	go func() { queue.close(x.readEvents(queue, body)) }()
	for {
		next, err := queue.take(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := x.deliver(ctx, out, next); err != nil {
			return err
		}
	}
}

// readEvents never waits for the client, so that a held watch does not look slow to the API server.
func (x *exchange) readEvents(queue *queue, body io.Reader) error {
	lines := bufio.NewReaderSize(body, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			queue.put(event{line, time.Now(), chance(), x.proxy.rules.forEvent(x.target, x.userAgent)})
		}
		if err != nil {
			return err
		}
	}
}

func (x *exchange) deliver(ctx context.Context, out io.Writer, next event) error {
	line := next.line
	for _, one := range next.rules {
		if one.Action == actDuplicate {
			line = append(line[:len(line):len(line)], line...)
			continue
		}
		if err := x.proxy.rules.wait(ctx, one.ID, next.arrived, next.fraction); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	_, err := out.Write(line)
	return err
}

type flushWriter struct {
	http.ResponseWriter
	controller *http.ResponseController
}

func (w flushWriter) Write(data []byte) (int, error) {
	written, err := w.ResponseWriter.Write(data)
	if err == nil {
		err = w.controller.Flush()
	}
	return written, err
}

// dripWriter lets through so many bytes a second, in portions of a tenth of a second.
type dripWriter struct {
	ctx  context.Context
	to   io.Writer
	rate int
}

func (w *dripWriter) Write(data []byte) (int, error) {
	written := 0
	for written < len(data) {
		portion := min(len(data)-written, max(1, w.rate/10))
		count, err := w.to.Write(data[written : written+portion])
		written += count
		if err != nil {
			return written, err
		}
		select {
		case <-time.After(time.Second * time.Duration(portion) / time.Duration(w.rate)):
		case <-w.ctx.Done():
			return written, context.Cause(w.ctx)
		}
	}
	return written, nil
}

// truncateWriter cuts the connection after so many bytes.
type truncateWriter struct {
	to   io.Writer
	left int
}

func (w *truncateWriter) Write(data []byte) (int, error) {
	if len(data) < w.left {
		w.left -= len(data)
		return w.to.Write(data)
	}
	written, _ := w.to.Write(data[:w.left])
	w.left = 0
	return written, errCut
}
