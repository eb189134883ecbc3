// Package embedded is a NATS server with JetStream in this process: for sweeps on one machine or
// among a few, and for tests.
package embedded

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Options of a server.
type Options struct {
	Listen string // HOST:PORT for clients; port 0 takes a free one
	Folder string // of its streams; "": a temporary one, removed by Close
	Token  string // that clients must give; "": a new one

	Name    string   // of a node of a cluster, whose other fields are Cluster, Peers and Routes
	Cluster string   // its name; "": one server alone
	Peers   string   // HOST:PORT for the other nodes
	Routes  []string // HOST:PORT of the others
}

// Server is one that runs.
type Server struct {
	*server.Server
	token  string
	remove string
}

const startTimeout = 10 * time.Second

// Start starts a server. It takes connections when Start returns.
func Start(o Options) (*Server, error) {
	host, port, err := hostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{token: o.Token}
	if s.token == "" {
		s.token = rand.Text()
	}
	opt := &server.Options{
		ServerName: o.Name, Host: host, Port: port, Authorization: s.token,
		JetStream: true, StoreDir: o.Folder, NoSigs: true, NoLog: true, DontListen: false,
	}
	if port == 0 {
		opt.Port = server.RANDOM_PORT
	}
	if o.Folder == "" {
		if s.remove, err = os.MkdirTemp("", "copaflash-nats-*"); err != nil {
			return nil, err
		}
		opt.StoreDir = s.remove
	}
	if o.Cluster != "" {
		if err := joinCluster(opt, o); err != nil {
			return nil, err
		}
	}
	if s.Server, err = server.NewServer(opt); err == nil {
		go s.Server.Start()
		if !s.ReadyForConnections(startTimeout) {
			err = fmt.Errorf("no connections at %s: the address may be taken", o.Listen)
		}
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("embedded NATS server: %w", err)
	}
	return s, nil
}

func joinCluster(opt *server.Options, o Options) error {
	host, port, err := hostPort(o.Peers)
	if err != nil {
		return err
	}
	opt.Cluster = server.ClusterOpts{Name: o.Cluster, Host: host, Port: port}
	for _, r := range o.Routes {
		opt.Routes = append(opt.Routes, &url.URL{Scheme: "nats-route", Host: r})
	}
	return nil
}

func hostPort(address string) (string, int, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, errors.New(address + ": this is not HOST:PORT")
	}
	return host, port, nil
}

// URL is that for clients, with the token. A server that listens at all addresses is called by the
// name of this machine.
func (s *Server) URL() string {
	at := s.Addr().(*net.TCPAddr)
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return (&url.URL{Scheme: "nats", User: url.User(s.token), Host: net.JoinHostPort(host, strconv.Itoa(at.Port))}).String()
}

// Close ends the server.
func (s *Server) Close() {
	if s.Server != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if s.remove != "" {
		_ = os.RemoveAll(s.remove)
	}
}
