package main

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"
)

// ruleSet holds the rules in force. Replacing them wakes everybody who waits because of one.
type ruleSet struct {
	mu      sync.Mutex
	rules   []*rule
	changed chan struct{}
}

func newRuleSet() *ruleSet { return &ruleSet{changed: make(chan struct{})} }

func (s *ruleSet) replace(rules []*rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = rules
	close(s.changed)
	s.changed = make(chan struct{})
}

// list returns copies, with their counters.
func (s *ruleSet) list() []rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	copies := make([]rule, 0, len(s.rules))
	for _, one := range s.rules {
		copies = append(copies, *one)
	}
	return copies
}

// forRequest returns the rules that apply to this request, in their order.
func (s *ruleSet) forRequest(t target, userAgent string) []*rule {
	return s.pick(t, userAgent, false)
}

// forEvent returns the rules that apply to the next event of this watch.
func (s *ruleSet) forEvent(t target, userAgent string) []*rule {
	return s.pick(t, userAgent, true)
}

func (s *ruleSet) pick(t target, userAgent string, events bool) []*rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	var picked []*rule
	for _, one := range s.rules {
		if one.onEvents() == events && one.matches(t, userAgent) && one.take() {
			picked = append(picked, one)
		}
	}
	return picked
}

// current returns the rule in force under this id (nil: none), and a channel that is closed at the next change.
func (s *ruleSet) current(id string) (*rule, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.rules {
		if one.ID == id {
			return one, s.changed
		}
	}
	return nil, s.changed
}

// wait returns when a rule no longer delays or holds what arrived at this time: time is up, or the rule is gone.
func (s *ruleSet) wait(ctx context.Context, id string, arrived time.Time, fraction float64) error {
	for {
		one, changed := s.current(id)
		if one == nil {
			return nil
		}
		var due <-chan time.Time
		if one.Action != actHoldWatch {
			left := time.Until(arrived.Add(one.delay(fraction)))
			if left <= 0 {
				return nil
			}
			timer := time.NewTimer(left)
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-due:
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func strict(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
