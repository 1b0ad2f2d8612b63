package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// policy is what a served page may load and run: its own files, and nothing written within it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self';" +
	" base-uri 'none'; frame-ancestors 'none'"

// Limits of what requests may hold, in bytes.
const (
	maxURL  = 32 << 10
	maxForm = 64 << 10
)

// sessionLife is how long somebody who said the token is not asked again.
const sessionLife = 12 * time.Hour

// Names of cookies.
const (
	sessionCookie = "tooltrail_session"
	csrfCookie    = "tooltrail_csrf"
)

// guard lets pass what may see the page.
type guard struct {
	cfg    Config
	hosts  []string
	secret []byte
	cross  *http.CrossOriginProtection
}

func newGuard(cfg Config) *guard {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return &guard{cfg: cfg, hosts: cfg.hosts(), secret: secret, cross: http.NewCrossOriginProtection()}
}

// wrap refuses, in this order, who comes by another way than the proxy, calls the page by another's name, acts from another site, or does not
// know the token.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header(), g.cfg.encrypted())
		switch {
		case len(r.RequestURI) > maxURL:
			http.Error(w, "The address is too long.", http.StatusRequestURITooLong)
		case !g.fromProxy(r):
			http.Error(w, "This page is reached through its proxy, with TLS.", http.StatusForbidden)
		case !g.knows(r.Host):
			http.Error(w, "This page does not go by that name. Call it by the address that tooltrail printed.", http.StatusMisdirectedRequest)
		case g.cross.Check(r) != nil:
			http.Error(w, "Another site must not act here.", http.StatusForbidden)
		case g.public(r.URL.Path) || g.authorized(r):
			next.ServeHTTP(w, r)
		case r.Method == http.MethodGet:
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		default:
			http.Error(w, "Log in first.", http.StatusUnauthorized)
		}
	})
}

func setHeaders(h http.Header, encrypted bool) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if encrypted {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// fromProxy says that a request came by the proxy, where there is one.
func (g *guard) fromProxy(r *http.Request) bool {
	if len(g.cfg.TrustedProxies) == 0 {
		return true
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	trusted := slices.ContainsFunc(g.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(from.Addr().Unmap()) })
	return trusted && r.Header.Get("X-Forwarded-Proto") == "https"
}

// knows says that the page goes by a name.
func (g *guard) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains(g.hosts, strings.ToLower(strings.Trim(host, "[]")))
}

// public are the paths that nobody needs a token for.
func (g *guard) public(path string) bool {
	return path == "/login" || path == "/healthz" || strings.HasPrefix(path, "/assets/")
}

func (g *guard) authorized(r *http.Request) bool {
	if g.cfg.Token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return g.isToken(given)
	}
	c, err := r.Cookie(sessionCookie)
	return err == nil && g.isSession(c.Value)
}

// isToken compares digests, which all are as long, so that the time says nothing of the token.
func (g *guard) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(g.cfg.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// isSession says that a session was begun here and is not over.
func (g *guard) isSession(value string) bool {
	until, mac, ok := strings.Cut(value, ".")
	unix, err := strconv.ParseInt(until, 10, 64)
	return ok && err == nil && g.cfg.Now().Unix() < unix && hmac.Equal([]byte(mac), []byte(g.sign("session "+until)))
}

// newSession returns the cookie of somebody who said the token.
func (g *guard) newSession() *http.Cookie {
	until := strconv.FormatInt(g.cfg.Now().Add(sessionLife).Unix(), 10)
	return g.cookie(sessionCookie, until+"."+g.sign("session "+until))
}

func (g *guard) cookie(name, value string) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(sessionLife / time.Second), HttpOnly: true, Secure: g.cfg.encrypted(),
		SameSite: http.SameSiteLaxMode,
	}
}

func (g *guard) sign(text string) string {
	m := hmac.New(sha256.New, g.secret)
	_, _ = m.Write([]byte(text)) // never fails
	return hex.EncodeToString(m.Sum(nil))
}

// formToken returns what a form must send back, and gives the browser the cookie that it belongs to.
func (g *guard) formToken(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(csrfCookie)
	if err != nil || len(c.Value) != 32 {
		raw := make([]byte, 16)
		_, _ = rand.Read(raw) // never fails
		c = g.cookie(csrfCookie, hex.EncodeToString(raw))
		http.SetCookie(w, c)
	}
	return g.sign("form " + c.Value)
}

// isForm says that a form came from a page that this browser was given.
func (g *guard) isForm(r *http.Request) bool {
	c, err := r.Cookie(csrfCookie)
	return err == nil && hmac.Equal([]byte(r.PostFormValue("csrf")), []byte(g.sign("form "+c.Value)))
}
