package cluster

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Server says how to reach NATS. User and password, or a token, may be in the URL; the
// scheme tls asks for TLS.
type Server struct {
	URL         string // nats://HOST:PORT, several separated by commas
	Credentials string // file of NATS credentials; "": none
	CA          string // file of the certificates that sign the server's; "": those of the system
}

// connectTimeout is for the first connection; later ones are tried again without end.
const connectTimeout = 5 * time.Second

type connection struct {
	*nats.Conn
	js jetstream.JetStream
}

// connect reaches the server and makes sure that it has JetStream.
func connect(ctx context.Context, s Server, name string, note func(string)) (*connection, error) {
	opts := []nats.Option{
		nats.Name(name), nats.Timeout(connectTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note("connection to NATS lost (" + err.Error() + "): trying again")
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { note("connected again to " + Redacted(c.ConnectedUrl())) }),
		// What goes wrong with a message is seen by whoever waits for it.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if s.Credentials != "" {
		opts = append(opts, nats.UserCredentials(s.Credentials))
	}
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA))
	}
	nc, err := nats.Connect(s.URL, opts...)
	if err != nil {
		return nil, &Error{"cannot reach NATS at " + Redacted(s.URL), connectHint(err), err}
	}
	js, err := jetstream.New(nc)
	if err == nil {
		limited, cancel := context.WithTimeout(ctx, connectTimeout)
		_, err = js.AccountInfo(limited)
		cancel()
	}
	if err != nil {
		nc.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{"NATS at " + Redacted(s.URL) + " has no JetStream for this user", "start the server with -js (nats-server -js), or allow JetStream for the account", err}
	}
	return &connection{nc, js}, nil
}

func connectHint(err error) string {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return "give user and password in the URL, nats://USER:PASSWORD@HOST, or a file of credentials with --creds"
	case strings.Contains(err.Error(), "certificate"), errors.Is(err, nats.ErrSecureConnWanted), errors.Is(err, nats.ErrSecureConnRequired):
		return "for TLS the URL begins with tls://, and --ca names the certificates that signed the server's"
	}
	return "start a server with: nats-server -js; or sweep on this machine alone: --nats embedded"
}

// Redacted is a list of URLs without passwords, for people to read.
func Redacted(urls string) string {
	list := strings.Split(urls, ",")
	for i, text := range list {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		u, err := url.Parse(text)
		switch {
		case err != nil:
			text = "a URL that cannot be read"
		case u.User != nil:
			u.User = url.User("...")
			text = u.String()
		}
		list[i] = text
	}
	return strings.Join(list, ",")
}
