/** Implements `fs` of Node over system calls. It runs in the engine, with the names of the files before it. */
export const fsSource: string = String.raw`
const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024 }
const filePath = (value) => {
  if (typeof value === "string") return value
  if (value instanceof URL) return fileURLToPath(value)
  if (value instanceof Uint8Array) return decodeText(value)
  throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "path" argument must be of type string or an instance of Buffer or URL. Received ' + describeArgument(value))
}
/** Bits of the host: 1 read, 2 write, 4 create, 8 exclusive, 16 truncate, 32 append. */
const openBits = { r: 1, "r+": 3, w: 22, wx: 30, "w+": 23, "wx+": 31, a: 38, ax: 46, "a+": 39, "ax+": 47, rs: 1, "rs+": 3, as: 38 }
const bitsOf = (flags) => {
  if (typeof flags === "number") {
    const access = [1, 2, 3][flags & 3] ?? 1
    return access | (flags & 64 ? 4 : 0) | (flags & 128 ? 8 : 0) | (flags & 512 ? 16 : 0) | (flags & 1024 ? 32 : 0)
  }
  const found = openBits[flags]
  if (found === undefined) throw codedError(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'flags' is invalid. Received " + inspect(flags))
  return found
}
const modeOf = (mode, usual) => mode === undefined ? usual : typeof mode === "string" ? parseInt(mode, 8) : mode
const optionsOf = (options) => typeof options === "string" ? { encoding: options } : options ?? {}
const asResult = (bytes, encoding) => encoding === undefined || encoding === null || encoding === "buffer" ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
const dataBytes = (data, encoding) => {
  const bytes = typeof data === "string" ? textToBytes(data, encoding) : bytesOf(data)
  if (bytes === undefined) throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ' + describeArgument(data))
  return bytes
}
const fileTypes = { 1: "BlockDevice", 2: "CharacterDevice", 3: "Directory", 4: "File", 5: "Socket", 6: "Socket", 7: "SymbolicLink", 0: "FIFO" }
const typeBits = { 0: 0o010000, 1: 0o060000, 2: 0o020000, 3: 0o040000, 4: 0o100000, 7: 0o120000 }
class TypedEntry {
  #type
  constructor(type) { this.#type = fileTypes[type] }
  isFile() { return this.#type === "File" }
  isDirectory() { return this.#type === "Directory" }
  isSymbolicLink() { return this.#type === "SymbolicLink" }
  isFIFO() { return this.#type === "FIFO" }
  isSocket() { return this.#type === "Socket" }
  isBlockDevice() { return this.#type === "BlockDevice" }
  isCharacterDevice() { return this.#type === "CharacterDevice" }
}
class Stats extends TypedEntry {
  constructor(text) {
    const stat = JSON.parse(text)
    super(stat.type)
    Object.assign(this, { dev: stat.dev, mode: stat.mode | (typeBits[stat.type] ?? 0), nlink: stat.nlink, uid: 1000, gid: 1000, rdev: 0, blksize: 4096, ino: stat.ino, size: stat.size, blocks: Math.ceil(stat.size / 4096) * 8 })
    for (const [name, ms] of [["atime", stat.atimeMs], ["mtime", stat.mtimeMs], ["ctime", stat.ctimeMs], ["birthtime", stat.ctimeMs]]) {
      this[name + "Ms"] = ms
      Object.defineProperty(this, name, { value: new Date(ms), enumerable: true, writable: true })
    }
  }
}
class Dirent extends TypedEntry {
  constructor(name, parentPath, type) {
    super(type)
    this.name = name
    this.parentPath = parentPath
  }
}
const readOpen = (fd, syscall, path) => new Uint8Array(checked(call("readAll", fd), syscall, path))
const writeOpen = (fd, bytes, position = null) => {
  for (let done = 0; done < bytes.length;) {
    done += checked(call("write", fd, ownBuffer(bytes.subarray(done)), position === null ? -1 : position + done), "write")
  }
  return bytes.length
}
const withFile = (path, flags, mode, use) => {
  if (typeof path === "number") return use(path)
  const fd = fs.openSync(path, flags, mode)
  try {
    return use(fd)
  } finally {
    fs.closeSync(fd)
  }
}
const fs = {
  constants, Stats, Dirent,
  openSync: (path, flags = "r", mode) => checked(call("open", filePath(path), bitsOf(flags), modeOf(mode, 0o666)), "open", filePath(path)),
  closeSync: (fd) => void checked(call("close", fd), "close"),
  readSync: (fd, buffer, offset = 0, length, position = null) => {
    const at = typeof offset === "object" && offset !== null ? offset : { offset, length, position }
    const start = at.offset ?? 0
    const bytes = new Uint8Array(checked(call("read", fd, at.length ?? buffer.byteLength - start, at.position ?? -1), "read"))
    bytesOf(buffer).set(bytes, start)
    return bytes.length
  },
  writeSync: (fd, data, offset, length, position) => {
    if (typeof data === "string") return writeOpen(fd, textToBytes(data, length), typeof offset === "number" ? offset : null)
    const start = offset ?? 0
    return writeOpen(fd, bytesOf(data).subarray(start, start + (length ?? data.byteLength - start)), position ?? null)
  },
  readFileSync: (path, options) => {
    const { encoding, flag = "r" } = optionsOf(options)
    if (encoding !== null && encoding !== undefined && !Buffer.isEncoding(encoding)) throw codedError(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'encoding' is invalid encoding. Received " + inspect(encoding))
    return withFile(path, flag, undefined, (fd) => asResult(readOpen(fd, "read"), encoding))
  },
  writeFileSync: (path, data, options) => {
    const { encoding, flag = "w", mode } = optionsOf(options)
    const bytes = dataBytes(data, encoding)
    withFile(path, flag, mode, (fd) => writeOpen(fd, bytes))
  },
  appendFileSync: (path, data, options) => fs.writeFileSync(path, data, { flag: "a", ...optionsOf(options) }),
  existsSync: (path) => {
    try {
      return typeof call("stat", filePath(path), true) === "string"
    } catch {
      return false
    }
  },
  accessSync: (path, mode = 0) => {
    const stat = JSON.parse(checked(call("stat", filePath(path), true), "access", filePath(path)))
    if ((stat.mode >> 6 & mode) !== mode) throw systemError(call("errnoOf", "EACCES"), "access", filePath(path))
  },
  statSync: (path, options = {}, follow = true, name = "stat") => {
    const found = call("stat", filePath(path), follow)
    return options.throwIfNoEntry === false && typeof found === "number" && call("errnoName", found) === "ENOENT" ? undefined : new Stats(checked(found, name, filePath(path)))
  },
  lstatSync: (path, options) => fs.statSync(path, options, false, "lstat"),
  fstatSync: (fd) => new Stats(checked(call("fstat", fd), "fstat")),
  readdirSync: (value, options) => {
    const { recursive = false, withFileTypes = false } = optionsOf(options)
    const found = []
    const folders = [[filePath(value), ""]]
    for (const [folder, prefix] of folders) {
      const names = JSON.parse(checked(call("list", folder), "scandir", folder)).sort(([a], [b]) => a < b ? -1 : 1)
      for (const [name, type] of names) {
        found.push(withFileTypes ? new Dirent(name, folder, type) : prefix + name)
        if (recursive && type === 3) folders.push([path.join(folder, name), prefix + name + "/"])
      }
    }
    return found
  },
}
`
