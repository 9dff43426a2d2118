/** Makes the errors of system calls as Node does, and the stacks of errors as V8 does. It runs in the engine, with the names of the files before it. */
export const errorsSource: string = String.raw`
const phrases = {
  EACCES: "permission denied", EAGAIN: "resource temporarily unavailable", EBADF: "bad file descriptor", EBUSY: "resource busy or locked",
  EEXIST: "file already exists", EFBIG: "file too large", EINVAL: "invalid argument", EIO: "i/o error",
  EISDIR: "illegal operation on a directory", ELOOP: "too many symbolic links encountered", EMFILE: "too many open files",
  ENAMETOOLONG: "name too long", ENOBUFS: "no buffer space available", ENOENT: "no such file or directory", ENOMEM: "not enough memory", ENOSPC: "no space left on device",
  ENOTDIR: "not a directory", ENOTEMPTY: "directory not empty", ENOTSUP: "operation not supported on socket", EPERM: "operation not permitted",
  EPIPE: "broken pipe", EROFS: "read-only file system", ESPIPE: "invalid seek", EXDEV: "cross-device link not permitted",
}
const linuxNumbers = {
  EPERM: 1, ENOENT: 2, EIO: 5, EBADF: 9, EAGAIN: 11, ENOMEM: 12, EACCES: 13, EBUSY: 16, EEXIST: 17, EXDEV: 18, ENOTDIR: 20, EISDIR: 21,
  EINVAL: 22, EMFILE: 24, EFBIG: 27, ENOSPC: 28, ESPIPE: 29, EROFS: 30, EPIPE: 32, ENAMETOOLONG: 36, ENOTEMPTY: 39, ELOOP: 40, ENOTSUP: 95,
}
const systemError = (errno, syscall, path, target) => {
  const code = call("errnoName", errno)
  const where = path === undefined ? "" : " '" + path + "'" + (target === undefined ? "" : " -> '" + target + "'")
  const error = new Error(code + ": " + (phrases[code] ?? call("errnoText", errno)) + ", " + syscall + where)
  error.errno = -(linuxNumbers[code] ?? -errno)
  error.code = code
  error.syscall = syscall
  if (path !== undefined) error.path = String(path)
  if (target !== undefined) error.dest = String(target)
  return error
}
/** The result of a system call; a negative number is an error. */
const checked = (result, syscall, path, target) => {
  if (typeof result === "number" && result < 0) throw systemError(result, syscall, path, target)
  return result
}
const codedError = (Type, code, message) => {
  const error = new Type(message)
  error.code = code
  return error
}
Error.stackTraceLimit = 10
Error.prepareStackTrace = (error, frames) => {
  let head = "Error"
  try {
    head = Error.prototype.toString.call(error)
  } catch {}
  for (const frame of frames) {
    const file = frame.getFileName()
    if (file === null || file === undefined || file === "js-exec:internal" || file === "<null>") continue
    const name = frame.getFunctionName()
    const place = file + ":" + frame.getLineNumber() + ":" + frame.getColumnNumber()
    head += "\n    at " + (name === null || name === undefined || name === "" || name === "<anonymous>" || name === "<eval>" ? place : name + " (" + place + ")")
  }
  return head
}
`
