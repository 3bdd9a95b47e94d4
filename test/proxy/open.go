package main

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// openSet knows the requests that are being served, and all connections, to cut them on demand.
type openSet struct {
	mu          sync.Mutex
	next        int
	requests    map[int]openRequest
	connections map[net.Conn]bool
}

type openRequest struct {
	target target
	cancel context.CancelCauseFunc
}

func newOpenSet() *openSet {
	return &openSet{requests: map[int]openRequest{}, connections: map[net.Conn]bool{}}
}

// add registers a request and returns how to forget it.
func (s *openSet) add(t target, cancel context.CancelCauseFunc) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	id := s.next
	s.requests[id] = openRequest{t, cancel}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.requests, id)
	}
}

// track is the server's ConnState hook.
func (s *openSet) track(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(s.connections, connection)
		return
	}
	s.connections[connection] = true
}

// cutWatches ends the open watches of a resource ("": of all) and returns how many.
func (s *openSet) cutWatches(resource string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	for _, one := range s.requests {
		if one.target.Verb == "watch" && (resource == "" || resource == one.target.Resource) {
			one.cancel(errCut)
			count++
		}
	}
	return count
}

// cutConnections closes every connection, idle ones too.
func (s *openSet) cutConnections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for connection := range s.connections {
		_ = connection.Close()
	}
	return len(s.connections)
}

// watches counts the open watches by resource.
func (s *openSet) watches() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[string]int{}
	for _, one := range s.requests {
		if one.target.Verb == "watch" {
			counts[one.target.Resource]++
		}
	}
	return counts
}
