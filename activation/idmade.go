package activation

import "slices"

// makerWords are words in a tool's name that say that it makes or keeps something: the caller may say what that is called.
var makerWords = []string{
	"create", "add", "insert", "register", "make", "define", "put", "save", "set", "store", "upsert", "remember", "write",
}

// readerWords are words that say that it does not, whatever else its name says: get_set, list_stores.
var readerWords = []string{"get", "list", "read", "search", "find", "fetch", "show", "describe", "lookup", "query", "delete", "remove", "cancel"}

// isCallersName reports an argument whose value the caller makes up: key alone under any tool; and of a tool that makes something id, uuid and the
// like alone, and the id that is named after the last word of the tool, as task_id is by create_task.
func isCallersName(tool, key []string) bool {
	if len(key) == 1 && (key[0] == "key" || key[0] == "keys") {
		return true
	}
	if len(key) == 0 || len(key) > 2 || !isIDKey(key) || !hasAny(tool, makerWords) || hasAny(tool, readerWords) {
		return false
	}
	return len(key) == 1 || key[0] == thingOf(tool)
}

// thingOf returns what a tool makes: the last word of its name that is no maker's.
func thingOf(tool []string) string {
	for _, w := range slices.Backward(tool) {
		if !slices.Contains(makerWords, w) {
			return w
		}
	}
	return ""
}
