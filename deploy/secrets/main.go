// Command secrets makes the passwords, keys and certificates of docker-compose.yml, those that are missing. It prints none of them.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/tooltrail/tooltrail/deploy"
)

func main() {
	c := deploy.DefaultConfig()
	flag.StringVar(&c.Dir, "out", c.Dir, "`folder` to write to")
	hosts := flag.String("hosts", "", "more `names` and addresses, with commas, by which clients call NATS and ClickHouse")
	for _, severity := range []string{"page", "ticket", "info"} {
		flag.Func("webhook-"+severity, "`address` to which alerts of this severity go", func(v string) error {
			c.Webhooks[severity] = v
			return nil
		})
	}
	flag.Parse()
	if *hosts != "" {
		c.Hosts = append(c.Hosts, strings.Split(*hosts, ",")...)
	}
	if err := deploy.WriteSecrets(c); err != nil {
		fmt.Fprintln(os.Stderr, "secrets:", err)
		os.Exit(1)
	}
	undelivered, err := deploy.Undelivered(c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "secrets:", err)
		os.Exit(1)
	}
	for _, severity := range undelivered {
		fmt.Printf("Alerts of severity %s go nowhere yet: make secrets ARGS='-webhook-%s https://...' says where.\n", severity, severity)
	}
	fmt.Printf("The secrets are in %s. Nobody else may read that folder; back it up.\n", c.Dir)
}
