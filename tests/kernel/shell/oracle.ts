/** Runs the scripts of the cases in the shells of this machine, in bubblewrap, in one process that is started once. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wallsAround } from "../walls.ts"

/** One script and its expected result. */
export interface Case {
  readonly theme: string
  readonly promise: string
  readonly script: string
  /** Whether the script is compared with dash too. */
  readonly posix: boolean
}

/** The result of a script in a shell. */
export interface Expected {
  readonly stdout: string
  readonly exitCode: number
  /** Whether it wrote to stderr. */
  readonly complained: boolean
  readonly stderr: string
}

/** A whole script, as people write them into files. */
export interface ScriptFile {
  readonly theme: string
  readonly title: string
  readonly script: string
}

/** Reads scripts from a file of them, each below a line `#### title`. */
export const readScripts = (theme: string): ReadonlyArray<ScriptFile> =>
  readFileSync(new URL(`everyday/${theme}.sh`, import.meta.url), "utf8").split(/^#### /m).slice(1).map((part) => {
    const end = part.indexOf("\n")
    return { theme, title: part.slice(0, end), script: `${part.slice(end + 1).trimEnd()}\n` }
  })

/**
 * Reads cases: `# promise`, with `[posix]` after it, begins a group; each line is a case, and lines that begin with `| `
 * are one case together.
 */
export const readCases = (theme: string): ReadonlyArray<Case> => {
  const text = readFileSync(new URL(`cases/${theme}.txt`, import.meta.url), "utf8")
  const cases: Array<Case> = []
  let [promise, posix] = ["", false]
  let block: Array<string> = []
  const end = () => {
    if (block.length > 0) cases.push({ theme, promise, posix, script: block.join("\n") })
    block = []
  }
  for (const line of text.split("\n")) {
    if (line.startsWith("| ") || line === "|") {
      block.push(line.slice(2))
      continue
    }
    end()
    if (line.startsWith("# ")) {
      posix = line.endsWith(" [posix]")
      promise = line.slice(2).replace(" [posix]", "")
    } else if (line !== "") cases.push({ theme, promise, posix, script: line })
  }
  end()
  return cases
}

/** Runs each script in an empty folder of its own; `sh` is the shell. */
const driver = `
cd "$1"
shell=$(command -v "$3")
mkdir bin
ln -s "$shell" bin/sh
ln -s "$shell" bin/bash
PATH="$1/bin:/usr/bin:/bin"
unset OLDPWD SHLVL _
part() {
  for ((n = $1; n < $2; n += 4)); do
    cd "$3/$n"
    if [[ $4 == file ]]; then
      mv ../$n.sh script.sh
      "$shell" script.sh >../$n.out 2>../$n.err </dev/null
    else
      "$shell" -c "$(<../$n.sh)" sh >../$n.out 2>../$n.err </dev/null
    fi
    echo $? >../$n.code
  done
}
# Many scripts sleep: four at a time do so together.
for first in 0 1 2 3; do
  part $first $2 "$1" "$4" &
done
wait
`

/** The output of a shell for each script: given after `-c`, or as the file `script.sh`. */
export const ask = async (
  shell: "bash" | "dash",
  scripts: ReadonlyArray<string>,
  as: "text" | "file" = "text",
): Promise<ReadonlyArray<Expected>> => {
  const folder = mkdtempSync(join(tmpdir(), "shell-cases-"))
  try {
    for (const [index, script] of scripts.entries()) {
      mkdirSync(join(folder, String(index)))
      writeFileSync(join(folder, `${index}.sh`), script)
    }
    const env = { PATH: "/usr/bin:/bin", HOME: "/root", LC_ALL: "C.UTF-8" }
    const args = [...wallsAround(folder), "bash", "-c", driver, "driver", folder, String(scripts.length), shell, as]
    await new Promise<void>((resolve, reject) => {
      execFile("bwrap", args, { env, timeout: 120_000 }, (error) => error === null ? resolve() : reject(error))
    })
    return scripts.map((_, index) => {
      // Each script runs in a folder of its own; in the kernel that is `/work`.
      const text = (kind: "out" | "err") =>
        readFileSync(join(folder, `${index}.${kind}`), "utf8").replaceAll(join(folder, String(index)), "/work")
      return {
        stdout: text("out"),
        exitCode: Number(readFileSync(join(folder, `${index}.code`), "utf8")),
        complained: text("err") !== "",
        stderr: text("err"),
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
