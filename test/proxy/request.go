package main

import (
	"encoding/json"
	"net/http"
	"strings"
)

// target is what a request to the API server is about.
type target struct {
	Verb        string `json:"verb"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
}

// key is how a target is counted: "patch pods/status".
func (t target) key() string {
	key := t.Verb + " " + t.Resource
	if t.Subresource != "" {
		key += "/" + t.Subresource
	}
	return key
}

func (t target) mutates() bool {
	switch t.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// parseTarget reads verb, resource and names from a request, as the API server does.
// A path that names no resource, such as /readyz, has the path as its resource.
func parseTarget(r *http.Request, body []byte) target {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return target{Verb: strings.ToLower(r.Method), Resource: r.URL.Path}
	}
	var t target
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		t.Namespace = parts[1]
		parts = parts[2:]
	}
	t.Resource = parts[0]
	if len(parts) > 1 {
		t.Name = parts[1]
	}
	if len(parts) > 2 {
		t.Subresource = strings.Join(parts[2:], "/")
	}
	t.Verb = verbOf(r, t.Name)
	if t.Verb == "create" && t.Name == "" {
		t.Name = nameInBody(body)
	}
	return t
}

func verbOf(r *http.Request, name string) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if watch := r.URL.Query().Get("watch"); watch == "1" || watch == "true" {
			return "watch"
		}
		if name == "" {
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return strings.ToLower(r.Method)
}

func nameInBody(body []byte) string {
	var object struct {
		Metadata struct {
			Name         string `json:"name"`
			GenerateName string `json:"generateName"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &object) != nil {
		return ""
	}
	if object.Metadata.Name != "" {
		return object.Metadata.Name
	}
	return object.Metadata.GenerateName
}
