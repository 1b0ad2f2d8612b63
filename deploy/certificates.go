package deploy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

const (
	// authorityLife is how long our authority is trusted, and certificateLife how long a server's certificate is good; remove the .crt and
	// .key of a server and write the secrets again for a new one.
	authorityLife   = 10 * 365 * 24 * time.Hour
	certificateLife = 2 * 365 * 24 * time.Hour
	// clockSkew is how far behind the clock of who checks a certificate may be.
	clockSkew = time.Hour
)

// authority is who signs the servers' certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// writeCertificates makes an authority of our own and certificates of NATS and ClickHouse, where they are missing. The authority's key is
// given to no container.
func writeCertificates(c Config) error {
	ca, err := c.authority()
	if err != nil {
		return err
	}
	for _, server := range []string{"nats", "clickhouse"} {
		if _, err := os.Stat(c.path(server + ".crt")); err == nil {
			continue
		}
		if err := c.certify(ca, server); err != nil {
			return err
		}
	}
	return nil
}

// authority reads the authority, or makes it.
func (c Config) authority() (*authority, error) {
	cert, errCert := os.ReadFile(c.path("ca.crt"))
	key, errKey := os.ReadFile(c.path("ca.key"))
	if errCert != nil || errKey != nil {
		if !errors.Is(errCert, os.ErrNotExist) || !errors.Is(errKey, os.ErrNotExist) {
			return nil, errors.New("read authority: want both ca.crt and ca.key, or neither")
		}
		return c.newAuthority()
	}
	certBlock, _ := pem.Decode(cert)
	keyBlock, _ := pem.Decode(key)
	if certBlock == nil || keyBlock == nil {
		return nil, errors.New("read authority: ca.crt or ca.key is no PEM file")
	}
	var ca authority
	var err error
	if ca.cert, err = x509.ParseCertificate(certBlock.Bytes); err != nil {
		return nil, fmt.Errorf("read ca.crt: %w", err)
	}
	if ca.key, err = x509.ParseECPrivateKey(keyBlock.Bytes); err != nil {
		return nil, fmt.Errorf("read ca.key: %w", err)
	}
	return &ca, nil
}

func (c Config) newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key of authority: %w", err)
	}
	t := template("Tooltrail authority", authorityLife)
	t.IsCA, t.BasicConstraintsValid, t.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
	t.MaxPathLenZero = true
	if err := c.sign(&authority{cert: t, key: key}, t, key, "ca", 0o600); err != nil {
		return nil, err
	}
	return c.authority() // as it was signed
}

// certify makes a server's certificate.
func (c Config) certify(ca *authority, server string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make key of %s: %w", server, err)
	}
	t := template(server, certificateLife)
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range c.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
			continue
		}
		t.DNSNames = append(t.DNSNames, host)
	}
	return c.sign(ca, t, key, server, 0o644)
}

func template(name string, life time.Duration) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // never fails
	now := time.Now().UTC()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-clockSkew), NotAfter: now.Add(life),
	}
}

// sign writes NAME.crt and NAME.key.
func (c Config) sign(ca *authority, t *x509.Certificate, key *ecdsa.PrivateKey, name string, mode os.FileMode) error {
	cert, err := x509.CreateCertificate(rand.Reader, t, ca.cert, &key.PublicKey, ca.key)
	if err != nil {
		return fmt.Errorf("sign certificate of %s: %w", name, err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode key of %s: %w", name, err)
	}
	if err := c.write(name+".key", mode, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})); err != nil {
		return err
	}
	return c.write(name+".crt", 0o644, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
}
