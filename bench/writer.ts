/**
 * The program that writes the output to be read.
 *
 * It must be faster than every reader. A block that is written again and again costs one copy, in the kernel; `cat`
 * of a file in memory costs two and was 10 to 30 % slower on Bun. So: `writer.c` where there is a C compiler, else
 * `cat` of a prepared file. The report says which it was.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Command, lineLength } from "./tools/Tool.ts"

/** Lines of the prepared file: 60 MB. */
const fileLines = 1_000_000
const fileSize = fileLines * lineLength

/** Whether it is the program; else it is the file for `cat`. */
export const isCompiled = (writer: string): boolean => !writer.endsWith(".txt")

/** Whole files, then the beginning of one: exactly so many bytes. */
const catScript = 'rest=$1; shift; [ $# = 0 ] || cat "$@"; head -c "$rest" "$0"'

/** The command that writes so many bytes: `writer` is the path of the program, or of the file for `cat`. */
export const writerCommand = (writer: string, bytes: number): Command => {
  if (isCompiled(writer)) return { file: writer, args: [String(bytes)] }
  const files = Array.from(
    { length: Math.floor(bytes / fileSize) },
    () => writer,
  )
  return {
    file: "/bin/sh",
    args: ["-c", catScript, writer, String(bytes % fileSize), ...files],
  }
}

const prepareFile = (): string => {
  const directory = join(
    existsSync("/dev/shm") ? "/dev/shm" : tmpdir(),
    "sluice-bench",
  )
  const file = join(directory, "lines.txt")
  mkdirSync(directory, { recursive: true })
  if (!existsSync(file) || statSync(file).size !== fileSize) {
    const line = (i: number): string => `${String(i).padStart(9, "0")} ${".".repeat(lineLength - 11)}\n`
    writeFileSync(
      file,
      Array.from({ length: fileLines }, (_, i) => line(i)).join(""),
    )
  }
  return file
}

/** Compiles the writer, or prepares the file. */
export const prepareWriter = (source: string, cache: string): string => {
  const program = join(cache, "writer")
  try {
    execFileSync("cc", ["-O2", "-o", program, source], { stdio: "ignore" })
    return program
  } catch {
    return prepareFile()
  }
}

/** The first of some paths that is there. */
export const firstOf = (paths: ReadonlyArray<string>): string => {
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) {
    throw new Error(`none of these is there: ${paths.join(", ")}`)
  }
  return found
}
