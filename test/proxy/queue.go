package main

import (
	"context"
	"sync"
)

// queue holds the events that arrived and were not delivered yet, without a limit.
type queue struct {
	mu      sync.Mutex
	events  []event
	end     error // why no more will come
	arrived chan struct{}
}

func newQueue() *queue { return &queue{arrived: make(chan struct{}, 1)} }

func (q *queue) put(e event) {
	q.mu.Lock()
	q.events = append(q.events, e)
	q.mu.Unlock()
	q.wake()
}

func (q *queue) close(reason error) {
	q.mu.Lock()
	q.end = reason
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.arrived <- struct{}{}:
	default:
	}
}

// take returns the next event; after the last one, the reason of the end.
func (q *queue) take(ctx context.Context) (event, error) {
	for {
		q.mu.Lock()
		if len(q.events) > 0 {
			first := q.events[0]
			q.events = q.events[1:]
			q.mu.Unlock()
			return first, nil
		}
		end := q.end
		q.mu.Unlock()
		if end != nil {
			return event{}, end
		}
		select {
		case <-q.arrived:
		case <-ctx.Done():
			return event{}, context.Cause(ctx)
		}
	}
}
