package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMissingToolsAreInstalledOrNamed runs tools/install.sh where there is nothing but stand-ins.
func TestMissingToolsAreInstalledOrNamed(t *testing.T) {
	const all = " gcc libc6-dev python3 prometheus prometheus-alertmanager chromium fonts-dejavu-core"
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	fine := map[string]string{"apt-get": "echo apt-get $*", "id": "echo 0", "env": "shift; exec \"$@\""}
	for name, c := range map[string]struct {
		with map[string]string
		want string
		ok   bool
	}{
		"root":             {fine, "apt-get install -y -qq --no-install-recommends" + all, true},
		"all is there":     {map[string]string{"cc": "", "python3": "", "promtool": "", "amtool": "", "chromium": ""}, "", true},
		"only some is":     {map[string]string{"cc": "", "python3": "", "chromium": "", "id": fine["id"], "env": fine["env"], "apt-get": fine["apt-get"]}, "--no-install-recommends prometheus prometheus-alertmanager", true},
		"no apt-get":       {nil, "there is no apt-get. Install these yourself, then try again:" + all, false},
		"no root, no sudo": {map[string]string{"apt-get": fine["apt-get"], "id": "echo 1000"}, "needs root or sudo. Install these yourself", false},
		"sudo":             {map[string]string{"apt-get": fine["apt-get"], "id": "echo 1000", "env": fine["env"], "sudo": "echo sudo $*; exec \"$@\""}, "sudo env DEBIAN_FRONTEND=noninteractive apt-get install", true},
		"apt-get fails":    {map[string]string{"apt-get": "exit 100", "id": "echo 0", "env": fine["env"]}, "apt-get failed. Install these yourself, then try again:" + all, false},
	} {
		dir := t.TempDir()
		programs := map[string]string{"rm": "exec /bin/rm \"$@\"", "chmod": "exec /bin/chmod \"$@\"", "tee": "exec /usr/bin/tee \"$@\""}
		for program, script := range c.with {
			programs[program] = script
		}
		for program, script := range programs {
			if err := os.WriteFile(filepath.Join(dir, program), []byte("#!"+sh+"\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
		}
		policy := filepath.Join(t.TempDir(), "policy-rc.d")
		cmd := exec.Command(sh, "../tools/install.sh")
		cmd.Env = []string{"PATH=" + dir, "POLICY=" + policy}
		out, err := cmd.CombinedOutput()
		if ok := err == nil; ok != c.ok || !strings.Contains(string(out), c.want) || c.want == "" && len(out) > 0 {
			t.Errorf("%s: %v\n%s\nwant %q", name, err, out, c.want)
		}
		if _, err := os.Stat(policy); err == nil {
			t.Errorf("%s: packages can't start their servers any more", name)
		}
	}
}
