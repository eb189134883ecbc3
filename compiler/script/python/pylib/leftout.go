package pylib

import (
	"path"
	"strings"
)

// absence are public names of one of CPython's modules that scripts do not have, as patterns of
// path.Match, and why, or what to write instead.
type absence struct{ names, why string }

const (
	noProcesses = "scripts start no processes and know nothing of their own: the program that starts copaflash does that"
	noSystem    = "scripts see no operating system, but files below their folder: read and write them with open(), os.listdir, os.makedirs and os.path"
	noAsync     = "scripts have no async functions: write a plain one"
	noTypes     = "there are no values of this type in scripts"
)

// leftOut has what each module lacks. A test compares it with the names of CPython.
var leftOut = map[string][]absence{
	"abc": {
		{"abstractclassmethod abstractstaticmethod", "write @classmethod or @staticmethod above @abstractmethod"},
		{"get_cache_token", "classes are not registered with each other: derive from them"},
	},
	"collections.abc": {{"AsyncGenerator", noAsync}},
	"contextlib": {
		{"AbstractAsyncContextManager AsyncContextDecorator AsyncExitStack aclosing asynccontextmanager", noAsync},
		{"chdir", "the folder of a script stays: write paths relative to it"},
		{"redirect_stdout redirect_stderr", "give print(..., file=f) what to write to, such as an io.StringIO"},
	},
	"csv": {
		{"Sniffer", "name the dialect, or give delimiter="},
		{"field_size_limit", "the limit is fixed at 131072 characters"},
	},
	"enum": {
		{"CONTINUOUS EnumCheck NAMED_FLAGS UNIQUE verify", "test the members with an assert below the class; @unique is there"},
		{"FlagBoundary", "flags take the bits that they name: mask with & before"},
		{"global_enum_repr global_flag_repr global_str pickle_by_enum_name pickle_by_global_name show_flag_values bin", "print member.name and member.value"},
		{"property", "write @property"},
	},
	"io": {
		{"BufferedIOBase BufferedRWPair BufferedRandom BufferedReader BufferedWriter FileIO IOBase RawIOBase BytesIO", "texts have io.StringIO, files open(), and bytes are sliced as they are"},
		{"IncrementalNewlineDecoder text_encoding open_code", "open() reads UTF-8 with any ends of lines"},
		{"BlockingIOError UnsupportedOperation", "files raise OSError and ValueError"},
		{"open", "call open(), which needs no import"},
		{"DEFAULT_BUFFER_SIZE", "files have no buffers to choose"},
	},
	"json": {{"detect_encoding", "json.loads takes UTF-8: decode other bytes before"}},
	"os": {
		{"CLD_* EX_* P_* PRIO_* POSIX_SPAWN_* SCHED_* W* abort exec* fork forkpty get_exec_path kill killpg nice pidfd_open popen posix_spawn* register_at_fork", noProcesses},
		{"sched_* spawn* system times times_result wait* getpid getppid getpgid getpgrp getsid getpriority setpriority setpgid setpgrp setsid tcgetpgrp tcsetpgrp", noProcesses},
		{"get*id getgroups getgrouplist getlogin initgroups set*id setgroups umask", noSystem},
		{"EFD_* F_* GRND_* MFD_* NGROUPS_MAX O_* POSIX_FADV_* RTLD_* RWF_* SPLICE_F_* ST_* TMP_MAX XATTR_* R_OK W_OK X_OK", noSystem},
		{"access ch* close closerange confstr* copy_file_range cpu_count ctermid defpath device_encoding dup dup2 environb eventfd*", noSystem},
		{"fchdir fchmod fchown fdatasync fdopen fpathconf fsdecode fsencode fstat* fsync ftruncate fwalk get_blocking get_inheritable", noSystem},
		{"get_terminal_size getcwdb getenvb getloadavg getrandom getxattr isatty lchown link listxattr lockf login_tty lseek lstat major makedev memfd_create minor mkfifo mknod open openpty pathconf*", noSystem},
		{"pipe pipe2 posix_fadvise posix_fallocate p*read* pw* putenv read readlink readv remove* rename* replace rmdir scandir sendfile", noSystem},
		{"set_blocking set_inheritable setxattr splice stat* strerror supports_* symlink sync sysconf* terminal_size truncate ttyname", noSystem},
		{"uname* un* utime walk write writev DirEntry", noSystem},
		{"urandom", "random.Random() without a seed takes the system's randomness"},
		{"PathLike", "derive from pathlib.PurePath, or define __fspath__"},
		{"error", "write OSError"},
		{"SEEK_DATA SEEK_HOLE", noSystem},
	},
	"os.path": {
		{"defpath", noSystem},
		{"commonpath", "os.path.commonprefix is there; paths are compared part by part with pathlib.PurePath.parts"},
		{"expandvars", "scripts see no environment: take values from sys.argv"},
		{"get?time ismount lexists same* supports_unicode_filenames", noSystem},
		{"relpath", "write pathlib.PurePath(p).relative_to(start)"},
	},
	"pathlib": {{"PureWindowsPath WindowsPath", "paths are those of POSIX, on all hosts"}},
	"random": {
		{"SystemRandom", "random.Random() without a seed takes the system's randomness"},
	},
	"statistics": {
		{"LinearRegression", "statistics.linear_regression gives one"},
	},
	"string": {{"Formatter", "write an f-string, or '...'.format(...)"}},
	"sys": {
		{"abiflags api_version base_exec_prefix base_prefix exec_prefix prefix platlibdir pycache_prefix builtin_module_names stdlib_module_names", "scripts are run by copaflash, which has no such folders and modules"},
		{"implementation hash_info thread_info float_repr_style orig_argv warnoptions dont_write_bytecode", "scripts are run by copaflash, not by CPython"},
		{"addaudithook audit breakpointhook call_tracing displayhook excepthook unraisablehook getprofile setprofile gettrace settrace is_finalizing", "scripts have no hooks: print what is to be seen"},
		{"get_asyncgen_hooks set_asyncgen_hooks get_coroutine_origin_tracking_depth set_coroutine_origin_tracking_depth", noAsync},
		{"getallocatedblocks getrefcount getsizeof getdlopenflags setdlopenflags getswitchinterval setswitchinterval", "memory and threads are managed by copaflash"},
		{"getfilesystemencoding getfilesystemencodeerrors", "names of files are UTF-8"},
		{"meta_path path_hooks path_importer_cache", "modules are imported from the library and from beside the script"},
		{"stdin", "take values from sys.argv, which has what follows -- on the command line, or from a file with open()"},
		{"exception", "name it: except Exception as e"},
	},
	"time": {
		{"CLOCK_* clock_* get_clock_info pthread_getcpuclockid", "time.time, monotonic and perf_counter, and each with _ns, are the clocks there are"},
		{"tzset", "the zone is that of the host: the environment variable TZ sets it before the start"},
	},
	"types": {
		{"AsyncGeneratorType CoroutineType coroutine", noAsync},
		{"BuiltinMethodType CellType ClassMethodDescriptorType CodeType FrameType GetSetDescriptorType MemberDescriptorType", noTypes},
		{"MethodDescriptorType MethodWrapperType TracebackType WrapperDescriptorType GenericAlias", noTypes},
		{"DynamicClassAttribute", "write @property"},
		{"new_class prepare_class resolve_bases", "write type(name, bases, namespace)"},
	},
	"typing": {
		{"AsyncContextManager AsyncGenerator", noAsync},
		{"CT_co KT T T_co T_contra VT VT_co V_co", "write TypeVar(name)"},
		{"io re", "write the names of the types: typing.IO, TextIO and Pattern"},
		{"ForwardRef ParamSpecArgs ParamSpecKwargs NamedTupleMeta clear_overloads get_overloads is_typeddict no_type_check_decorator", "types are written, not checked: nothing in a script needs this"},
	},
	"warnings": {{"formatwarning showwarning warn_explicit WarningMessage", "warnings.warn and simplefilter are what there is: warnings go to stderr"}},
}

// whyLeftOut is what to do without a name of a module of CPython, "" where it is no such name.
func whyLeftOut(module, name string) string {
	for _, a := range leftOut[module] {
		for _, pattern := range strings.Fields(a.names) {
			if ok, _ := path.Match(pattern, name); ok { // patterns are well formed: a test matches each
				return a.why
			}
		}
	}
	return ""
}
