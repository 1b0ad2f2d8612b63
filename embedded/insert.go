package embedded

import (
	"cmp"
	"errors"
	"io"
)

// insert feeds the data to the engine and commits it; data that does not come
// whole is not stored.
func (e *Engine) insert(out *reply, c *conn, q *request, st statement, data io.Reader) error {
	ins, err := c.startInsert(st.head, cmp.Or(st.format, "Values"), q.params)
	if err != nil {
		return err
	}
	defer ins.close()
	if err := feed(ins, data); err != nil && !errors.Is(err, errInsertFailed) {
		ins.cancel()
		return dataError(err)
	}
	rows, err := ins.commit()
	if err != nil {
		return err
	}
	out.wrote(rows)
	return nil
}

// dataError is the answer to an insert whose data could not be read.
func dataError(err error) error {
	var e *Exception
	if errors.As(err, &e) {
		return e
	}
	return newException(codeNetwork, "NETWORK_ERROR", "data of the request did not come whole: "+err.Error())
}

func feed(to io.Writer, data io.Reader) error {
	buf := make([]byte, 256<<10)
	_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{data}, buf)
	return err
}
