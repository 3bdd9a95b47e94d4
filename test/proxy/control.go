package main

import (
	"encoding/json"
	"net/http"
)

// controlHandler serves what tests use to steer the proxy.
func (p *proxy) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /rules", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.rules.list()) })
	mux.HandleFunc("POST /rules", p.postRules)
	mux.HandleFunc("DELETE /rules", func(w http.ResponseWriter, _ *http.Request) {
		p.rules.replace(nil)
		writeJSON(w, p.rules.list())
	})
	mux.HandleFunc("GET /log", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.journal.report(p.open.watches())) })
	mux.HandleFunc("DELETE /log", func(w http.ResponseWriter, _ *http.Request) {
		p.journal.clear()
		writeJSON(w, p.journal.report(p.open.watches()))
	})
	mux.HandleFunc("POST /cut", p.postCut)
	return mux
}

func (p *proxy) postRules(w http.ResponseWriter, r *http.Request) {
	rules, err := readRules(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.rules.replace(rules)
	writeJSON(w, p.rules.list())
}

// postCut cuts watches (?resource=pods: only those of pods), or with ?what=connections every connection.
func (p *proxy) postCut(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch what := query.Get("what"); what {
	case "", "watches":
		writeJSON(w, map[string]int{"cut": p.open.cutWatches(query.Get("resource"))})
	case "connections":
		writeJSON(w, map[string]int{"cut": p.open.cutConnections()})
	default:
		http.Error(w, "what: "+what+" is neither watches nor connections", http.StatusBadRequest)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
