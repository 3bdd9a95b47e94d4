package main

import (
	"sync"
	"time"
)

const maxMutations = 200_000

// mutation is a request that changed something, or wanted to.
type mutation struct {
	target
	Time      time.Time `json:"time"`
	Millis    float64   `json:"millis"`
	Status    int       `json:"status"` // 0: no answer was sent
	UserAgent string    `json:"userAgent"`
	Rules     []string  `json:"rules,omitempty"`
}

// journal counts what passed.
type journal struct {
	mu        sync.Mutex
	counts    map[string]int
	statuses  map[int]int
	mutations []mutation
	dropped   int
}

func newJournal() *journal {
	j := &journal{}
	j.clear()
	return j
}

func (j *journal) clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts, j.statuses, j.mutations, j.dropped = map[string]int{}, map[int]int{}, []mutation{}, 0
}

// begin counts a request when it arrives, so that open watches are counted too.
func (j *journal) begin(t target) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[t.key()]++
}

// add records how a request ended.
func (j *journal) add(x *exchange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.statuses[x.status]++
	if !x.target.mutates() {
		return
	}
	if len(j.mutations) >= maxMutations {
		j.dropped++
		return
	}
	one := mutation{target: x.target, Time: x.started, Millis: float64(time.Since(x.started).Microseconds()) / 1000,
		Status: x.status, UserAgent: x.userAgent}
	for _, applied := range x.rules {
		one.Rules = append(one.Rules, applied.ID)
	}
	j.mutations = append(j.mutations, one)
}

type report struct {
	Counts      map[string]int `json:"counts"`
	Statuses    map[int]int    `json:"statuses"`
	OpenWatches map[string]int `json:"openWatches"`
	Mutations   []mutation     `json:"mutations"`
	Dropped     int            `json:"dropped,omitempty"`
}

func (j *journal) report(watches map[string]int) report {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := report{Counts: map[string]int{}, Statuses: map[int]int{}, OpenWatches: watches,
		Mutations: append([]mutation{}, j.mutations...), Dropped: j.dropped}
	for key, count := range j.counts {
		r.Counts[key] = count
	}
	for status, count := range j.statuses {
		r.Statuses[status] = count
	}
	return r
}
