package compiler_test
import ("testing";"os";"github.com/copaflash/copaflash/compiler")
func TestDbg(t *testing.T){
	for i,d := range []func(*testing.T)*compiler.Program{
	func(t *testing.T)*compiler.Program{ g,v:=dots(100,sequential); return compileFor(t,g,v,compiler.Options{Arch:"x86_64"})},
	func(t *testing.T)*compiler.Program{ g,v:=dots(100,dotNode); return compileFor(t,g,v,compiler.Options{Arch:"x86_64",Unroll:compiler.UnrollAlways})}} {
	f,_:=os.Create([]string{"/tmp/be_a.lst","/tmp/be_b.lst"}[i])
	d(t).Listing(f); f.Close() }
}
