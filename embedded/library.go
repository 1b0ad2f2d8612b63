package embedded

import (
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Errors of finding and loading the engine's library.
var (
	// ErrLibraryMissing says that the engine's library is nowhere to be found.
	ErrLibraryMissing = errors.New("engine library missing")
	// ErrLibraryArch says that the library is built for another machine.
	ErrLibraryArch = errors.New("engine library built for another machine")
)

// LibraryEnv names the environment variable that holds the library's path.
const LibraryEnv = "TOOLTRAIL_ENGINE_LIB"

const howToGet = "run `make build` to fetch it, or set " + LibraryEnv + " to the path of libchdb.so"

// FindLibrary returns the path of the engine's library: what LibraryEnv names,
// else a library beside the executable, else the one that the module's
// engine/ folder holds, looked for upward from the executable and from the
// working directory. The error wraps ErrLibraryMissing.
func FindLibrary() (string, error) {
	if named := os.Getenv(LibraryEnv); named != "" {
		return checkNamed(named)
	}
	for _, start := range searchRoots() {
		if found, ok := searchUp(start); ok {
			return found, nil
		}
	}
	return "", fmt.Errorf("find engine library: %w; %s", ErrLibraryMissing, howToGet)
}

func checkNamed(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("find engine library: %s=%s: %w; %s", LibraryEnv, path, ErrLibraryMissing, howToGet)
	case err != nil:
		return "", fmt.Errorf("find engine library: %w", err)
	case info.IsDir():
		return "", fmt.Errorf("find engine library: %s=%s is a folder: %w; %s", LibraryEnv, path, ErrLibraryMissing, howToGet)
	}
	return path, nil
}

func searchRoots() []string {
	var roots []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		roots = append(roots, filepath.Dir(exe))
	}
	if dir, err := os.Getwd(); err == nil {
		roots = append(roots, dir)
	}
	return roots
}

// searchUp looks in dir and every folder above it.
func searchUp(dir string) (string, bool) {
	for {
		for _, name := range libraryNames() {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path, true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// libraryNames are the places below a folder where the library may be. The
// package of every libc and architecture has a folder of its own.
func libraryNames() []string {
	names := []string{"libchdb.so"}
	for _, pkg := range npmPackages(runtime.GOOS, runtime.GOARCH) {
		names = append(names, filepath.Join("engine", "node_modules", "@chdb", pkg, "libchdb.so"))
	}
	return names
}

func npmPackages(goos, goarch string) []string {
	arch := map[string]string{"amd64": "x64"}[goarch]
	if arch == "" {
		arch = goarch
	}
	if goos == "linux" {
		return []string{"lib-linux-" + arch + "-gnu"}
	}
	return []string{"lib-" + goos + "-" + arch}
}

// checkLibrary says whether the file is a shared library for this machine, in
// words clearer than the loader's.
func checkLibrary(path string) error {
	if runtime.GOOS == "darwin" {
		return checkMachO(path)
	}
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("check engine library %s: %w: %w; %s", path, ErrLibraryArch, err, howToGet)
	}
	defer file.Close()
	want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if file.Machine != want || file.Type != elf.ET_DYN {
		return fmt.Errorf("check engine library %s: %w: it is %v %v, this machine needs %v; %s",
			path, ErrLibraryArch, file.Machine, file.Type, want, howToGet)
	}
	return nil
}

func checkMachO(path string) error {
	file, err := macho.Open(path)
	if err != nil {
		return fmt.Errorf("check engine library %s: %w: %w; %s", path, ErrLibraryArch, err, howToGet)
	}
	defer file.Close()
	want := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[runtime.GOARCH]
	if file.Cpu != want {
		return fmt.Errorf("check engine library %s: %w: it is %v, this machine needs %v; %s",
			path, ErrLibraryArch, file.Cpu, want, howToGet)
	}
	return nil
}
