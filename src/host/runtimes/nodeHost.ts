/** Implements files, environment and signals of the host with `process` and `node:fs`, for Bun and Node. */
import { readErrorCode } from "../../base/readErrorCode.ts"
import type { Host } from "../Host.ts"
import { formatIdentity, holdDirectory } from "./fileIdentity.ts"
import type { NodeProcess } from "../nodeProcess.ts"
import { readFileHead } from "./readFileHead.ts"
import type { FileKind } from "../resolveExecutable.ts"
import { resultOrUndefined as attempt } from "../../base/resultOrUndefined.ts"

const osOf = (platform: string): Host["os"] =>
  platform === "linux" || platform === "darwin" ? platform : platform === "win32" ? "windows" : "other"

/** Makes a {@link Host} without `spawn`. */
export const nodeHost = (process: NodeProcess): Omit<Host, "runtime" | "spawn"> => {
  const fs = process.getBuiltinModule("node:fs")
  const os = osOf(process.platform)
  const readsProc = os === "linux" && attempt(() => fs.readFileSync("/proc/self/environ")) !== undefined
  return {
    os,
    pid: process.pid,
    givesBuffers: true,
    pipesAreSockets: os !== "windows",
    environment: () => {
      const env: Record<string, string> = {}
      for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
      return env
    },
    variable: (name) => process.env[name],
    cwd: () => attempt(() => process.cwd()),
    fileKind: (path): FileKind => {
      try {
        // An exception costs ten times a stat, and most directories of PATH do not have the program.
        const stat = fs.statSync(path, { throwIfNoEntry: false })
        if (stat === undefined) return "none"
        if (stat.isDirectory()) return "directory"
        if (os === "windows") return "executable"
        if (!stat.isFile()) return "special"
        // access(2) also considers the owner and the mount options.
        fs.accessSync(path, fs.constants.X_OK)
        return "executable"
      } catch (error) {
        const code = readErrorCode(error)
        return code === "ENOENT" || code === "ENOTDIR" ? "none" : code === "EACCES" ? "file" : "unknown"
      }
    },
    errorAt: (path) => {
      try {
        fs.statSync(path)
        return undefined
      } catch (error) {
        return readErrorCode(error)
      }
    },
    // The portable version removes `..` before it resolves links, and so names another file than the kernel opens.
    realPath: (path) => attempt(() => fs.realpathSync.native(path)),
    isLink: (path) => attempt(() => fs.lstatSync(path).isSymbolicLink()) === true,
    identity: (path) => attempt(() => formatIdentity(fs.statSync(path, { bigint: true }))),
    ...(readsProc ? { hold: (path) => attempt(() => holdDirectory(fs, process.pid, path)) } : undefined),
    readsProc,
    readHead: (path, length) => attempt(() => readFileHead(fs, path, length)),
    readText: (path) => attempt(() => fs.readFileSync(path, "utf8")),
    readNames: (path) => attempt(() => fs.readdirSync(path)) ?? [],
    signal: (pid, signal) => {
      try {
        process.kill(pid, signal)
        return "sent"
      } catch (error) {
        return readErrorCode(error) === "ESRCH" ? "gone" : "denied"
      }
    },
    mayRun: () => true,
    isRoot: () => process.getuid?.() === 0,
  }
}
