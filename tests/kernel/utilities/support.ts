import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { tmpdir } from "node:os"
import { devices } from "../../../src/kernel/fs/devices.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel } from "../../../src/kernel/mod.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import type { OpenFile } from "../../../src/kernel/OpenFile.ts"
import { shellProgram } from "../../../src/kernel/shell/ShellProgram.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import type { Program } from "../../../src/kernel/System.ts"
import { utilities } from "../../../src/kernel/utilities/Utilities.ts"
import { wallsAround } from "../walls.ts"
import { fixture, small, timeOf } from "./fixture.ts"
import { type Command, commands } from "./words.ts"

/** The result of a case. */
export interface Outcome {
  readonly stdout: string
  /** Whether anything was written to standard error. */
  readonly complained: boolean
  readonly exitCode: number
  readonly stderr: string
}

/** Options of running cases. */
export interface CaseOptions {
  /** Compares the files that remain as well. */
  readonly tree?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Runs each case by the kernel's shell, whose language is larger than that of `commands`. */
  readonly shell?: boolean
  /** Further programs that must be installed. */
  readonly needs?: ReadonlyArray<string>
}

const latin = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

/** Whether bubblewrap and GNU's own programs are installed, to compare with. */
export const hasGnu: boolean = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]).status === 0 &&
  /GNU/.test(spawnSync("/usr/bin/sed", ["--version"], { encoding: "utf8" }).stdout ?? "") &&
  /GNU/.test(spawnSync("/usr/bin/find", ["--version"], { encoding: "utf8" }).stdout ?? "")

const isInstalled = (program: string): boolean => spawnSync("which", [program]).status === 0

const environment = { HOME: "/", LC_ALL: "C", PATH: "/usr/bin:/bin", TZ: "UTC", USER: "root" }

const filesOf = ({ tree }: CaseOptions): ReadonlyArray<readonly [path: string, content: string]> =>
  Object.entries(fixture).filter(([path]) => !tree || small.has(path))

/** Runs all cases with the installed programs, in one bash in bubblewrap. */
const real = (cases: ReadonlyArray<string>, options: CaseOptions): ReadonlyArray<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-utilities-"))
  try {
    filesOf(options).forEach(([path, content]) => {
      const whole = join(folder, "fixture", path)
      mkdirSync(dirname(whole), { recursive: true })
      if (!content.startsWith("-> ")) writeFileSync(whole, content)
    })
    const links = filesOf(options).filter(([, content]) => content.startsWith("-> "))
    const times = filesOf(options).map(([path], at) => `touch -h -d @${timeOf(at)} 'fixture/${path}'`)
    const script = [
      "umask 022",
      ...links.map(([path, content]) => `ln -s '${content.slice(3)}' 'fixture/${path}'`),
      "find fixture -type f -exec chmod 644 {} +; find fixture -type d -exec chmod 755 {} +",
      ...times,
      ...cases.flatMap((text, at) => [
        ...(options.tree || at === 0 ? [`cp -a fixture work${at}`] : []),
        `( cd work${options.tree ? at : 0}; ${text}\n) >out${at} 2>err${at} </dev/null; echo $? >code${at}`,
      ]),
    ].join("\n")
    writeFileSync(join(folder, "script"), script)
    const env = { ...environment, ...options.env }
    const ran = spawnSync("bwrap", [...wallsAround(folder), "bash", "script"], { env, timeout: 110_000 })
    if (ran.status !== 0) throw new Error(`bash ended with ${ran.status}: ${ran.stderr}`)
    return cases.map((_, at) => {
      const stderr = latin(readFileSync(join(folder, `err${at}`)))
      return {
        complained: stderr !== "",
        exitCode: Number(readFileSync(join(folder, `code${at}`), "utf8")),
        stderr,
        stdout: latin(readFileSync(join(folder, `out${at}`))) +
          (options.tree ? realTree(join(folder, `work${at}`)) : ""),
      }
    })
  } finally {
    rmSync(folder, { force: true, recursive: true })
  }
}

const nanos = 1_000_000_000n

/** Makes a file system with the fixture in `/work`. */
export const makeFiles = (options: CaseOptions = {}): VirtualFileSystem => {
  const files = VirtualFileSystem.make({
    mounts: { "/": memory({}), "/dev": devices() },
    now: () => BigInt(Date.now()) * 1_000_000n,
  })
  const must = (result: number): void => {
    if (result < 0) throw new Error(`the fixture: errno ${-result}`)
  }
  must(files.makeDirectory(files.root, "/tmp", 0o777))
  must(files.makeDirectory(files.root, "/work", 0o755))
  filesOf(options).forEach(([path, content], at) => {
    const parts = path.split("/")
    for (let count = 1; count < parts.length; count++) {
      files.makeDirectory(files.root, `/work/${parts.slice(0, count).join("/")}`, 0o755)
    }
    const whole = `/work/${path}`
    if (content.startsWith("-> ")) must(files.symlink(content.slice(3), files.root, whole))
    else {
      const file = files.open(files.root, whole, { create: true, mode: 0o644, write: true })
      if (typeof file === "number") throw new Error(`${whole}: errno ${-file}`)
      file.write(new TextEncoder().encode(content))
      file.release()
    }
    const time = BigInt(timeOf(at)) * nanos
    must(files.setTimes(files.root, whole, time, time, { follow: false }))
  })
  return files
}

const open = (files: VirtualFileSystem, path: string, write: boolean): OpenFile => {
  const at = files.directory(files.root, "/work")
  if (typeof at === "number") throw new Error("no /work")
  const file = files.open(at, path, write ? { create: true, mode: 0o644, truncate: true, write } : { read: true })
  if (typeof file === "number") throw new Error(`${path}: errno ${-file}`)
  return file
}

/** Runs pipelines in a new kernel. */
export const run = async (
  lines: ReadonlyArray<ReadonlyArray<Command>>,
  files: VirtualFileSystem,
  env: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, Program>> = {},
): Promise<Outcome> => {
  const kernel = Kernel.make({
    env: Object.entries({ ...environment, ...env }),
    fileSystem: files,
    programs: { ...utilities, ...more },
  })
  const stdout = new BufferFile()
  const stderr = new BufferFile()
  let exitCode = 0
  for (const line of lines) {
    let input: OpenFile = new NullFile()
    const exits: Array<Promise<number>> = []
    line.forEach((command, at) => {
      const stdin = command.input === undefined ? input : open(files, command.input, false)
      let output: OpenFile = command.output === undefined ? stdout.retain() : open(files, command.output, true)
      if (at < line.length - 1) {
        const pipe = kernel.pipe()
        input = pipe.reader
        output = pipe.writer
      }
      const fds = { 0: stdin, 1: output, 2: command.joined ? output : stderr.retain() }
      const handle = kernel.start({ args: command.args, cwd: "/work", fds, program: command.args[0] ?? "" })
      exits.push(
        typeof handle === "number" ? Promise.resolve(-handle) : handle.exited.then((status) => status.exitCode),
      )
    })
    exitCode = (await Promise.all(exits)).at(-1) ?? 0
  }
  kernel.close()
  return { complained: stderr.bytes.length > 0, exitCode, stderr: stderr.text, stdout: latin(stdout.bytes) }
}

/** A line about a path: its mode, and its target or its content. Links have no mode. */
const entry = (path: string, mode: number, rest: string): string => `${path} ${(mode & 0o7777).toString(8)} ${rest}\n`

/** Lists a directory tree of the host. */
const realTree = (folder: string, prefix = ""): string =>
  readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).map((found) => {
    const whole = join(folder, found.name)
    const path = prefix + found.name
    if (found.isSymbolicLink()) return entry(path, 0, `-> ${readlinkSync(whole)}`)
    const { mode } = statSync(whole)
    return found.isDirectory()
      ? entry(path, mode, "/") + realTree(whole, `${path}/`)
      : entry(path, mode, (mode & 0o400) === 0 ? "" : latin(readFileSync(whole)))
  }).join("")

/** Lists a directory tree of the kernel. */
const tree = (files: VirtualFileSystem, folder = "/work", prefix = ""): string => {
  const at = files.directory(files.root, folder)
  const entries = typeof at === "number" ? at : files.list(at)
  if (typeof entries === "number") throw new Error(`${folder}: errno ${-entries}`)
  return [...entries].sort((a, b) => a.name < b.name ? -1 : 1).map(({ name }) => {
    const whole = `${folder}/${name}`
    const path = prefix + name
    const stat = files.stat(files.root, whole, { follow: false })
    if (typeof stat === "number") throw new Error(`${whole}: errno ${-stat}`)
    if (stat.type === FileType.symbolicLink) return entry(path, 0, `-> ${files.readlink(files.root, whole)}`)
    if (stat.type === FileType.directory) return entry(path, stat.mode, "/") + tree(files, whole, `${path}/`)
    const file = files.open(files.root, whole, { read: true })
    if (typeof file === "number") return entry(path, stat.mode, "")
    const bytes = new Uint8Array(stat.size)
    file.readAt(0, bytes)
    file.release()
    return entry(path, stat.mode, latin(bytes))
  }).join("")
}

/** Describes the first differences. */
const difference = (expected: Outcome | undefined, found: Outcome): string => {
  const [one, two] = [expected, found].map((outcome) => (outcome?.stdout ?? "").split("\n"))
  const lines = [
    ...one?.filter((line, at) => line !== two?.[at]).slice(0, 4).map((line) => `  - ${JSON.stringify(line)}`) ?? [],
  ]
  lines.push(
    ...two?.filter((line, at) => line !== one?.[at]).slice(0, 4).map((line) => `  + ${JSON.stringify(line)}`) ?? [],
  )
  return `${
    lines.join("\n")
  }\n  exit ${expected?.exitCode} ${found.exitCode}, said ${expected?.stderr} / ${found.stderr}`
}

/** Tests that cases behave as with GNU's programs: output, exit code, and whether they write to standard error. */
export const compare = (
  title: string,
  lists: ReadonlyArray<string | ReadonlyArray<string>>,
  options: CaseOptions = {},
): void => {
  const cases = lists.map((list) => typeof list === "string" ? list : list.join("; "))
  const { needs = [], shell } = options
  const missing = !hasGnu || !needs.every(isInstalled)
  it.skipIf(missing)(`${title} (needs ${["bubblewrap, GNU sed and find", ...needs].join(", ")})`, async () => {
    const expected = real(cases, options)
    const wrong: Array<string> = []
    let files = makeFiles(options)
    for (const [at, text] of cases.entries()) {
      if (options.tree) files = makeFiles(options)
      const lines = shell ? [[{ args: ["sh", "-c", text], joined: false }]] : commands(text)
      const found = await run(lines, files, options.env, shell ? { sh: shellProgram({}) } : {})
      const stdout = options.tree ? found.stdout + tree(files) : found.stdout
      const other = expected[at]
      if (other?.stdout !== stdout || other.exitCode !== found.exitCode || other.complained !== found.complained) {
        wrong.push(`${text}\n${difference(other, { ...found, stdout })}`)
      }
    }
    expect(wrong.join("\n")).toBe("")
  })
}
