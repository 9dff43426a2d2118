import { spawnSync } from "node:child_process"
import * as Effect from "effect/Effect"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readFile } from "../../../src/kernel/fs/files.ts"
import type { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import type { Random } from "../../support/random.ts"
import { must, put, using } from "../fs/support.ts"

/** A folder of the host for one test, gone after it. */
export const withScratch = <A, E>(use: (folder: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "sluice-changes-")))),
    use,
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )

/** Whether a program and bubblewrap are installed. */
export const has = (program: string): boolean =>
  spawnSync(program, ["--version"]).status === 0 && spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0

/** Runs a script of bash in a folder, in bubblewrap: it can write only there. */
export const runInBox = (
  folder: string,
  script: string,
): { readonly status: number | null; readonly output: string } => {
  const walls = ["--ro-bind", "/", "/", "--bind", folder, folder, "--dev", "/dev", "--unshare-pid", "--unshare-net"]
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: folder,
    LC_ALL: "C.UTF-8",
    GIT_CEILING_DIRECTORIES: folder,
    TMPDIR: folder,
  }
  const { output, status } = spawnSync("bwrap", [...walls, "--chdir", folder, "bash", "-c", script], {
    env,
    encoding: "utf8",
  })
  return { status, output: output.join("") }
}

/** Files by path, as far as a patch has them: content, whether the owner may execute, targets of links. */
export type Tree = Readonly<Record<string, string>>

const contentOf = (mode: number, bytes: Uint8Array): string =>
  `${(mode & 0o100) === 0 ? "-" : "x"} ${Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")}`

export const treeOf = (files: VirtualFileSystem, top: string, folders = false): Tree => {
  const tree: Record<string, string> = {}
  const visit = (path: string): void => {
    for (const { name } of must(files.list(must(files.directory(files.root, path))))) {
      const here = `${path}/${name}`
      const { mode, type } = must(files.stat(files.root, here, { follow: false }))
      if (folders && type === FileType.directory) tree[`${here.slice(top.length + 1)}/`] = mode.toString(8)
      if (type === FileType.directory) visit(here)
      else if (type === FileType.symbolicLink) {
        tree[here.slice(top.length + 1)] = `-> ${must(files.readlink(files.root, here))}`
      } else tree[here.slice(top.length + 1)] = contentOf(mode, must(readFile(files, here)))
    }
  }
  visit(top)
  return tree
}

export const hostTreeOf = (top: string, folders = false): Tree => {
  const tree: Record<string, string> = {}
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(top, path), { withFileTypes: true })) {
      const here = path === "" ? entry.name : `${path}/${entry.name}`
      const whole = join(top, here)
      if (folders && entry.isDirectory()) tree[`${here}/`] = (lstatSync(whole).mode & 0o7777).toString(8)
      if (entry.isDirectory()) visit(here)
      else if (entry.isSymbolicLink()) tree[here] = `-> ${readlinkSync(whole)}`
      else tree[here] = contentOf(lstatSync(whole).mode, readFileSync(whole))
    }
  }
  visit("")
  return tree
}

/** Writes the files of a folder to the host, without empty folders, which patches do not know. */
export const exportTree = (files: VirtualFileSystem, from: string, to: string): void => {
  for (const { name } of must(files.list(must(files.directory(files.root, from))))) {
    const [here, there] = [`${from}/${name}`, join(to, name)]
    const { mode, type } = must(files.stat(files.root, here, { follow: false }))
    if (type !== FileType.directory) mkdirSync(to, { recursive: true })
    if (type === FileType.directory) exportTree(files, here, there)
    else if (type === FileType.symbolicLink) symlinkSync(must(files.readlink(files.root, here)), there)
    else {
      writeFileSync(there, must(readFile(files, here)))
      chmodSync(there, mode)
    }
  }
}

const names = ["a", "b c", "d", 'é"x', "f.txt"]
const folders = ["", "/a", "/d", "/a/d"]

const lines = ({ int, pick }: Random, binary: boolean): string =>
  Array.from(
    { length: int(0, 12) },
    () => pick(["one\n", "two\n", "three\n", "\n", "last\r\n", binary ? "€\n" : "b\n"]),
  ).join("") +
  pick(["", "", "no newline"])

const isFolder = (files: VirtualFileSystem, path: string): boolean => {
  const stat = files.stat(files.root, path)
  return typeof stat !== "number" && stat.type === FileType.directory
}

/** A change of a file below a folder, of what a program may do there. */
export const randomFileChange = (random: Random, top: string, binary: boolean): (files: VirtualFileSystem) => void => {
  const place = (): string => `${top}${random.pick(folders)}/${random.pick(names)}`
  const [path, other] = [place(), place()]
  const content = binary && random.int(0, 4) === 0
    ? Uint8Array.from({ length: random.int(0, 300) }, () => random.int(0, 255))
    : lines(random, binary)
  const mode = random.pick([0o644, 0o755])
  const at = binary ? random.int(0, 10) : 0
  return random.pick<(files: VirtualFileSystem) => unknown>([
    (files) => put(files, path, content, mode),
    (files) => put(files, path, content, mode),
    (files) => using(files, path, { write: true }, (file) => file.writeAt(at, new TextEncoder().encode("edit"))),
    (files) => files.makeDirectory(files.root, path, 0o755),
    (files) => files.symlink(other, files.root, path),
    (files) => files.rename(files.root, path, files.root, other),
    (files) => files.unlink(files.root, path),
    (files) => files.removeDirectory(files.root, path),
    // A folder without permissions would only refuse the other changes.
    (files) => files.setMode(files.root, path, isFolder(files, path) ? mode | 0o711 : mode),
  ])
}
