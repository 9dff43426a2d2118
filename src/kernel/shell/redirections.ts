/**
 * Applies the redirections of a command to the descriptor table of a shell, and restores or keeps them.
 * Source: POSIX 2.7 "Redirection"; bash(1) "REDIRECTION".
 */
import type { FileRedirect, HereDocument, Redirect } from "../../shell-language/SyntaxTree.ts"
import { Errno, errnoText } from "../Errno.ts"
import type { OpenOptions } from "../FileSystem.ts"
import { FileFlag } from "../OpenFile.ts"
import type { Later } from "../System.ts"
import { FileType } from "../Stat.ts"
import { namedVariable, setNamedVariable } from "./builtins/namedVariables.ts"
import { expandDocument, expandText, expandWords } from "./expand/expandWords.ts"
import { reapChildren } from "./processes.ts"
import type { Shell } from "./Shell.ts"
import { ShellError, shellErrorOf } from "./ShellError.ts"
import { runPending } from "./traps.ts"
import { writeText } from "./writeText.ts"
import { encodeLossless } from "../../base/surrogateEscape.ts"

/** Previous entries of the descriptor table, in the order of the changes. */
export type SavedDescriptors = Array<readonly [fd: number, real: number | undefined]>

const pipeCapacity = 65_536

export const restoreDescriptors = (shell: Shell, undo: SavedDescriptors): void => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) {
    const real = shell.descriptors.set(last[0], last[1])
    if (real !== undefined) shell.system.close(real)
  }
}

export const changesStdin = (changes: Iterable<readonly [fd: number, real: unknown]>): boolean => {
  for (const [fd] of changes) if (fd === 0) return true
  return false
}

/** Closes the descriptors of process substitutions until `count` are left. */
export const closeProcessSubstitutions = (shell: Shell, count: number): void => {
  while (shell.substitutionDescriptors.length > count) {
    const real = shell.descriptors.set(shell.substitutionDescriptors.pop() ?? -1, undefined)
    if (real !== undefined) shell.system.close(real)
  }
}

/** Makes redirections permanent by closing the previous descriptors. */
export const keepRedirections = (shell: Shell, undo: SavedDescriptors): void => {
  for (const [, real] of undo.splice(0)) if (real !== undefined) shell.system.close(real)
}

/** The descriptor of the script that a path names: 3 for `/dev/fd/3`, 1 for `/dev/stdout`. */
export const pathDescriptor = (path: string): number | undefined => {
  const found = /^\/dev\/(?:fd\/(\d+)|std(in|out|err))$/.exec(path)
  if (found === null) return undefined
  return found[1] === undefined ? ["in", "out", "err"].indexOf(found[2] ?? "") : Number(found[1])
}

/** Opens a path as a command of the script does: `/dev/fd/3` is the script's descriptor 3. */
export const openPath = (shell: Shell, path: string, options: OpenOptions): number => {
  const fd = pathDescriptor(path)
  if (fd !== undefined) return duplicate(shell, fd)
  if (path === "") return -Errno.ENOENT
  const { interpreter, system } = shell
  return interpreter.mayOpen?.(path, options, system.cwd) === false ? -Errno.EACCES : system.open(path, options)
}

const duplicate = (shell: Shell, fd: number): number => {
  const real = shell.descriptors.get(fd)
  return real === undefined ? -Errno.EBADF : shell.system.dup(real)
}

const requireDescriptor = (real: number, what: string): number => {
  if (real < 0) throw new ShellError(`${what}: ${errnoText(real)}`)
  return real
}

/**
 * Applies redirections in order. Adds the previous descriptors to `undo`, even if one of them fails. With `unopened`, the ends of
 * FIFOs whose other end is not open are added to it instead of being waited for.
 */
export const applyRedirections = async (
  shell: Shell,
  redirects: ReadonlyArray<Redirect>,
  undo: SavedDescriptors,
  unopened?: Array<number>,
): Promise<void> => {
  for (const node of redirects) {
    if (node._tag === "HereDocument") await applyDocument(shell, node, undo)
    else await applyFile(shell, node, undo, unopened)
  }
}

/** Waits until the other end of a FIFO is open, as open(2) does; traps run meanwhile. */
export const awaitOpened = (shell: Shell, real: number): Later<void> => {
  const opened = shell.system.opened(real)
  if (opened instanceof Promise) return awaitOpening(shell, real, opened)
}

const awaitOpening = async (shell: Shell, real: number, opened: Promise<number>): Promise<void> => {
  if (await opened !== -Errno.EINTR) return
  if (shell.pendingSignals.length > 0 && !shell.isRunningTrap) await runPending(shell)
  await awaitOpened(shell, real)
}

/** Puts a descriptor into a free entry and its number into a variable or an element. */
const assignDescriptor = async (shell: Shell, variable: string, real: number | undefined): Promise<void> => {
  const fd = shell.descriptors.free(10)
  shell.descriptors.set(fd, real)
  try {
    await setNamedVariable(shell, variable, String(fd))
  } catch (thrown) {
    shell.descriptors.set(fd, undefined)
    if (real !== undefined) shell.system.close(real)
    // Bash goes on after the command.
    throw new ShellError(shellErrorOf(thrown).message)
  }
}

/** Sets an entry. The descriptor of `{name}>file` stays open after the command, as in bash. */
const setDescriptor = (
  shell: Shell,
  node: Redirect,
  usual: number,
  real: number | undefined,
  undo: SavedDescriptors,
): Later<void> => {
  if (node.variable !== undefined) {
    return assignDescriptor(shell, node.variable, real)
  }
  const fd = node.fd ?? usual
  undo.push([fd, shell.descriptors.set(fd, real)])
}

const applyDocument = async (shell: Shell, node: HereDocument, undo: SavedDescriptors): Promise<void> => {
  if (!node.closed) {
    await shell.reportError(`warning: here-document delimited by end-of-file (wanted \`${node.delimiter}')`)
  }
  await setDescriptor(shell, node, 0, await textFile(shell, await expandDocument(shell, node)), undo)
}

/** Returns a descriptor to read a text from; a process writes a text that does not fit into a pipe. */
const textFile = async (shell: Shell, text: string): Promise<number> => {
  const ends = shell.system.pipe()
  if (typeof ends === "number") throw new ShellError(`cannot create a here-document: ${errnoText(ends)}`)
  const [read, write] = ends
  const bytes = text.length <= pipeCapacity ? encodeLossless(text) : undefined
  if (bytes !== undefined && bytes.length <= pipeCapacity) await shell.system.writeAll(write, bytes)
  else {
    reapChildren(shell)
    // The writing process counts the text; if it is too long, the command fails.
    shell.variables.holdAll(text.length)
    shell.variables.holdAll()
    const pid = shell.system.spawn({
      program: async (system) => {
        if (system.holdValues(text.length) < 0) return 1
        return (await writeText(system, 1, text)) < 0 ? 1 : 0
      },
      args: ["here-document"],
      fds: [[1, write]],
    })
    if (pid < 0) throw new ShellError(`fork: ${errnoText(pid)}`, "shell", 254)
  }
  shell.system.close(write)
  return read
}

const applyFile = async (
  shell: Shell,
  node: FileRedirect,
  undo: SavedDescriptors,
  unopened?: Array<number>,
): Promise<void> => {
  const { operator } = node
  if (operator === "<<<") {
    return setDescriptor(shell, node, 0, await textFile(shell, `${await expandText(shell, node.target)}\n`), undo)
  }
  const names = await expandWords(shell, [node.target])
  const [name] = names
  if (name === undefined || names.length > 1) {
    throw new ShellError(`${shell.source.text.slice(node.target.span.start, node.target.span.end)}: ambiguous redirect`)
  }
  if (operator === "<&" || operator === ">&") {
    const found = /^(\d*)(-?)$/.exec(name)
    if (found !== null && name !== "") return applyDuplication(shell, node, found[1] ?? "", found[2] === "-", undo)
    if (operator === "<&" || (node.fd ?? 1) !== 1) throw new ShellError(`${name}: ambiguous redirect`)
  }
  const real = requireDescriptor(openTarget(shell, name, operator), name)
  const assigned = setDescriptor(shell, node, operator.startsWith("<") ? 0 : 1, real, undo)
  if (assigned !== undefined) await assigned
  const opened = unopened === undefined ? awaitOpened(shell, real) : undefined
  if (opened !== undefined) await opened
  if (unopened !== undefined && isPipe(shell, real)) unopened.push(real)
  if (operator === "&>" || operator === "&>>" || operator === ">&") {
    undo.push([2, shell.descriptors.set(2, requireDescriptor(shell.system.dup(real), name))])
  }
}

/** `>&3`, `<&3-`, `>&-` */
const applyDuplication = async (
  shell: Shell,
  node: FileRedirect,
  digits: string,
  closes: boolean,
  undo: SavedDescriptors,
): Promise<void> => {
  const usual = node.operator === "<&" ? 0 : 1
  if (digits === "") {
    if (node.variable === undefined) return setDescriptor(shell, node, usual, undefined, undo)
    const fd = await namedVariable(shell, node.variable)
    if (fd === undefined) throw new ShellError(`${node.variable}: Bad file descriptor`)
    const real = shell.descriptors.set(Number(fd), undefined)
    if (real !== undefined) shell.system.close(real)
    return
  }
  await setDescriptor(shell, node, usual, requireDescriptor(duplicate(shell, Number(digits)), digits), undo)
  if (closes) undo.push([Number(digits), shell.descriptors.set(Number(digits), undefined)])
}

const isPipe = ({ system }: Shell, real: number): boolean => {
  const stat = system.fstat(real)
  return typeof stat === "object" && stat.type === FileType.unknown
}

const openTarget = (shell: Shell, name: string, operator: FileRedirect["operator"]): number => {
  switch (operator) {
    case "<":
      return openPath(shell, name, { read: true })
    case "<>":
      return openPath(shell, name, { read: true, write: true, create: true })
    case ">>":
    case "&>>":
      return openPath(shell, name, { write: true, create: true, flags: FileFlag.append })
    default: {
      if (operator !== ">|" && shell.hasOption("noclobber")) {
        const found = shell.system.stat(name)
        if (typeof found === "object" && found.type === FileType.regularFile) {
          throw new ShellError(`${name}: cannot overwrite existing file`)
        }
      }
      return openPath(shell, name, { write: true, create: true, truncate: true })
    }
  }
}
