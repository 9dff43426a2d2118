/** Implements the functions of `fs` that change folders and links, and `fs/promises`. It runs in the engine, with the names of the files before it. */
export const fsChangesSource: string = String.raw`
const typeAt = (name, follow = true) => {
  const found = call("stat", name, follow)
  return typeof found === "number" ? undefined : JSON.parse(found).type
}
Object.assign(fs, {
  mkdirSync: (value, options = {}) => {
    const name = filePath(value)
    const mode = modeOf(typeof options === "object" ? options.mode : options, 0o777)
    if (options.recursive !== true) return void checked(call("mkdir", name, mode), "mkdir", name)
    let first
    let at = ""
    const full = path.resolve(name)
    for (const part of full.split("/").slice(1)) {
      at += "/" + part
      const type = typeAt(at)
      if (type === 3) continue
      if (type !== undefined) throw systemError(call("errnoOf", at === full ? "EEXIST" : "ENOTDIR"), "mkdir", name)
      checked(call("mkdir", at, mode), "mkdir", name)
      first ??= at
    }
    return first
  },
  rmdirSync: (value) => void checked(call("rmdir", filePath(value)), "rmdir", filePath(value)),
  unlinkSync: (value) => void checked(call("unlink", filePath(value)), "unlink", filePath(value)),
  rmSync: (value, options = {}) => {
    const name = filePath(value)
    const type = typeAt(name, false)
    if (type === undefined) {
      if (options.force === true) return
      throw systemError(call("stat", name, false), "lstat", name)
    }
    if (type !== 3) return void checked(call("unlink", name), "unlink", name)
    if (options.recursive !== true) {
      const error = codedError(Error, "ERR_FS_EISDIR", "Path is a directory: rm returned EISDIR (is a directory) " + name)
      throw Object.assign(error, { name: "SystemError", errno: 21, syscall: "rm", path: name })
    }
    for (const [entry] of JSON.parse(checked(call("list", name), "scandir", name))) fs.rmSync(path.join(name, entry), { recursive: true, force: true })
    checked(call("rmdir", name), "rmdir", name)
  },
  renameSync: (from, to) => void checked(call("rename", filePath(from), filePath(to)), "rename", filePath(from), filePath(to)),
  copyFileSync: (from, to, mode = 0) => {
    const [source, target] = [filePath(from), filePath(to)]
    const input = checked(call("open", source, 1, 0), "copyfile", source, target)
    try {
      const output = checked(call("open", target, mode & 1 ? 30 : 22, JSON.parse(call("fstat", input)).mode), "copyfile", source, target)
      try {
        for (;;) {
          const piece = checked(call("read", input, 1048576, -1), "copyfile", source, target)
          if (piece.byteLength === 0) break
          writeOpen(output, new Uint8Array(piece))
        }
      } finally {
        fs.closeSync(output)
      }
    } finally {
      fs.closeSync(input)
    }
  },
  cpSync: (from, to, options = {}) => {
    const [source, target] = [filePath(from), filePath(to)]
    const type = typeAt(source, options.dereference === true)
    if (type === 7) return fs.symlinkSync(fs.readlinkSync(source), target)
    if (type !== 3) return fs.copyFileSync(source, target, options.errorOnExist === true && options.force === false ? 1 : 0)
    if (options.recursive !== true) throw codedError(Error, "ERR_FS_EISDIR", "Recursive option not enabled, cannot copy a directory: cp returned EISDIR (" + source + " is a directory (not copied)) " + source)
    fs.mkdirSync(target, { recursive: true })
    for (const [entry] of JSON.parse(checked(call("list", source), "scandir", source))) fs.cpSync(path.join(source, entry), path.join(target, entry), options)
  },
  linkSync: (from, to) => void checked(call("link", filePath(from), filePath(to)), "link", filePath(from), filePath(to)),
  symlinkSync: (target, value) => void checked(call("symlink", filePath(target), filePath(value)), "symlink", filePath(target), filePath(value)),
  readlinkSync: (value) => checked(call("readlink", filePath(value)), "readlink", filePath(value)),
  realpathSync: (value) => checked(call("realpath", filePath(value)), "lstat", filePath(value)),
  chmodSync: (value, mode) => void checked(call("chmod", filePath(value), modeOf(mode, 0)), "chmod", filePath(value)),
  utimesSync: (value, atime, mtime) => {
    const ms = (time) => time instanceof Date ? time.getTime() : Number(time) * 1000
    checked(call("utimes", filePath(value), ms(atime), ms(mtime)), "utime", filePath(value))
  },
  truncateSync: (value, length = 0) => withFile(filePath(value), "r+", undefined, (fd) => fs.ftruncateSync(fd, length)),
  ftruncateSync: (fd, length = 0) => void checked(call("truncate", fd, length), "ftruncate"),
  mkdtempSync: (prefix) => {
    const name = prefix + [...globalThis.crypto.getRandomValues(new Uint8Array(6))].map((byte) => "abcdefghijklmnopqrstuvwxyzABCDEF"[byte & 31]).join("")
    fs.mkdirSync(name, 0o700)
    return name
  },
})
/** Each function without Sync takes a callback, and is of fs/promises. */
fs.promises = { constants }
for (const name of Object.keys(fs).filter((name) => name.endsWith("Sync"))) {
  const run = fs[name]
  const bare = name.slice(0, -4)
  fs.promises[bare] = async (...args) => run(...args)
  fs[bare] = (...args) => {
    const done = args.pop()
    if (typeof done !== "function") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "cb" argument must be of type function. Received ' + describeArgument(done))
    let result
    try {
      result = run(...args)
    } catch (error) {
      return void setTimeout(done, 0, error)
    }
    setTimeout(done, 0, ...bare === "exists" ? [result] : [null, result])
  }
}
for (const name of ["exists", "openSync", "close", "read", "write", "fstat", "ftruncate"]) delete fs.promises[name]
`
