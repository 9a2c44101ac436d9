//go:build tools

// Package tools imports the program to build, so that go.mod lists its dependencies.
package tools

import _ "go.etcd.io/etcd/server/v3/etcdmain"
