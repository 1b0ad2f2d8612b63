package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
)

//go:embed assets templates
var files embed.FS

// kinds are the assets that are served and what they are.
var kinds = map[string]string{
	"page.css": "text/css; charset=utf-8", "uplot.css": "text/css; charset=utf-8",
	"page.js": "text/javascript; charset=utf-8", "uplot.js": "text/javascript; charset=utf-8", "theme.js": "text/javascript; charset=utf-8",
	"uplot.LICENSE": "text/plain; charset=utf-8",
}

// asset returns a file that belongs to the program.
func asset(name string) []byte {
	b, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(fmt.Sprintf("page: %v", err)) // the file belongs to the program
	}
	return b
}

// assetPath is where an asset is served: its address changes with it, so that browsers keep it.
func assetPath(name string) string {
	sum := sha256.Sum256(asset(name))
	return "/assets/" + name + "?v=" + hex.EncodeToString(sum[:6])
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := kinds[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	if r.URL.Query().Has("v") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(asset(name))
}

// parse reads the templates.
func parse() (*template.Template, error) {
	t := template.New("").Funcs(template.FuncMap{
		"asset": assetPath,
		"clean": func(s any) string { return clean(text(s), maxShown) },
		"hides": func(s string) bool { return clean(s, maxShown) != s },
		"time":  timeCell,
	})
	t, err := t.ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse templates: %w", err)
	}
	return t, nil
}
