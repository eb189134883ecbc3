package vm

// Abort makes an error that ends the script, which cannot catch it. errors.Is
// and errors.As find cause in what Thread.Run returns. It is for failures that
// are not the script's, such as a device that went away.
func Abort(cause error) error {
	return &LimitError{Limit: "host", Msg: cause.Error(), cause: cause}
}
