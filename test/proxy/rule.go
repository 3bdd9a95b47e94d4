package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"regexp"
	"slices"
	"time"
)

// Actions on whole requests, and on the single events of watches.
const (
	actDelay     = "delay"
	actAnswer    = "answer"
	actCutBefore = "cut-before"
	actCutAfter  = "cut-after"
	actDrip      = "drip"
	actTruncate  = "truncate"

	actDelayWatch = "delay-watch"
	actHoldWatch  = "hold-watch"
	actDuplicate  = "duplicate-event"
)

var requestActions = []string{actDelay, actAnswer, actCutBefore, actCutAfter, actDrip, actTruncate}
var eventActions = []string{actDelayWatch, actHoldWatch, actDuplicate}

// match says which requests a rule is for; what is left out matches everything.
type match struct {
	Verbs          []string `json:"verbs,omitempty"`
	Resource       string   `json:"resource,omitempty"`
	Subresource    *string  `json:"subresource,omitempty"` // "" is the object itself
	Namespace      string   `json:"namespace,omitempty"`
	NameRegex      string   `json:"nameRegex,omitempty"`
	UserAgentRegex string   `json:"userAgentRegex,omitempty"`
}

// rule is one fault. Skip and Times count requests, for actions on events the events.
type rule struct {
	ID             string            `json:"id"`
	Match          match             `json:"match"`
	Action         string            `json:"action"`
	Skip           int               `json:"skip,omitempty"`
	Times          int               `json:"times,omitempty"` // 0: always
	DelayMs        int               `json:"delayMs,omitempty"`
	JitterMs       int               `json:"jitterMs,omitempty"`
	Status         int               `json:"status,omitempty"`
	Body           json.RawMessage   `json:"body,omitempty"` // a string is sent as it is, anything else as JSON
	Headers        map[string]string `json:"headers,omitempty"`
	BytesPerSecond int               `json:"bytesPerSecond,omitempty"`
	Bytes          *int              `json:"bytes,omitempty"`
	Matched        int               `json:"matched"`
	Applied        int               `json:"applied"`

	name, userAgent *regexp.Regexp
}

// readRules reads a list of rules, or {"rules": [...]}.
func readRules(r io.Reader) ([]*rule, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var rules []*rule
	if err := strict(raw, &rules); err != nil {
		var wrapped struct {
			Rules []*rule `json:"rules"`
		}
		if strict(raw, &wrapped) != nil || wrapped.Rules == nil {
			return nil, fmt.Errorf("not a list of rules: %w", err)
		}
		rules = wrapped.Rules
	}
	seen := map[string]bool{}
	for i, one := range rules {
		if one == nil {
			return nil, fmt.Errorf("rule %d is null", i+1)
		}
		if one.ID == "" {
			one.ID = fmt.Sprintf("rule-%d", i+1)
		}
		if seen[one.ID] {
			return nil, fmt.Errorf("two rules have the id %q", one.ID)
		}
		seen[one.ID] = true
		if err := one.prepare(); err != nil {
			return nil, fmt.Errorf("rule %q: %w", one.ID, err)
		}
	}
	return rules, nil
}

func (r *rule) prepare() (err error) {
	r.Matched, r.Applied = 0, 0
	if r.name, err = regexp.Compile(r.Match.NameRegex); err != nil {
		return fmt.Errorf("nameRegex: %w", err)
	}
	if r.userAgent, err = regexp.Compile(r.Match.UserAgentRegex); err != nil {
		return fmt.Errorf("userAgentRegex: %w", err)
	}
	switch {
	case r.Skip < 0 || r.Times < 0 || r.DelayMs < 0 || r.JitterMs < 0:
		return fmt.Errorf("skip, times, delayMs and jitterMs cannot be negative")
	case !slices.Contains(requestActions, r.Action) && !slices.Contains(eventActions, r.Action):
		return fmt.Errorf("action %q is none of %v %v", r.Action, requestActions, eventActions)
	case r.Action == actAnswer && (r.Status < 200 || r.Status > 599):
		return fmt.Errorf("answer needs a status from 200 to 599")
	case r.Action == actDrip && r.BytesPerSecond <= 0:
		return fmt.Errorf("drip needs bytesPerSecond above 0")
	case r.Action == actTruncate && (r.Bytes == nil || *r.Bytes < 0):
		return fmt.Errorf("truncate needs bytes (0 or more)")
	case (r.Action == actDelay || r.Action == actDelayWatch) && r.DelayMs+r.JitterMs == 0:
		return fmt.Errorf("%s needs delayMs or jitterMs", r.Action)
	}
	return nil
}

func (r *rule) onEvents() bool { return slices.Contains(eventActions, r.Action) }

func (r *rule) matches(t target, userAgent string) bool {
	m := r.Match
	return (len(m.Verbs) == 0 || slices.Contains(m.Verbs, t.Verb)) &&
		(m.Resource == "" || m.Resource == t.Resource) &&
		(m.Subresource == nil || *m.Subresource == t.Subresource) &&
		(m.Namespace == "" || m.Namespace == t.Namespace) &&
		r.name.MatchString(t.Name) && r.userAgent.MatchString(userAgent)
}

// take counts a match and says whether the rule applies to it.
func (r *rule) take() bool {
	r.Matched++
	if r.Matched <= r.Skip || (r.Times > 0 && r.Applied >= r.Times) {
		return false
	}
	r.Applied++
	return true
}

func (r *rule) delay(fraction float64) time.Duration {
	return time.Duration(float64(r.DelayMs)+fraction*float64(r.JitterMs)) * time.Millisecond
}

// payload is the body of an answer.
func (r *rule) payload() []byte {
	var text string
	if json.Unmarshal(r.Body, &text) == nil {
		return []byte(text)
	}
	return r.Body
}

func chance() float64 { return rand.Float64() }
