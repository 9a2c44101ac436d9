//go:build tools

// Package tools names the program that is built, so that go.mod holds what it needs.
package tools

import _ "go.etcd.io/etcd/server/v3/etcdmain"
