/** Runs scripts in the bash of this machine, each in a folder of its own. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The result of a script. */
export interface Ran {
  readonly stdout: string
  /** The lines of the output without bash's line numbers, sorted because several processes write at once. */
  readonly stderr: string
  readonly exitCode: number
}

const driver = `cd "$1"
part() {
  for ((n = $1; n < $2; n += 4)); do
    cd "$3/$n"
    timeout -s KILL 10 bash -c "$(<../$n.sh)" bash >../$n.out 2>../$n.err </dev/null
    echo $? >../$n.code
  done
}
for first in 0 1 2 3; do part $first $2 "$1" & done
wait`

/**
 * What bash makes of each script. Programs are those of `path`; `files` are there when one starts.
 */
export const bashRuns = (
  scripts: ReadonlyArray<string>,
  files: Readonly<Record<string, string>> = {},
  path = "/usr/bin:/bin",
): ReadonlyArray<Ran> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bash-"))
  try {
    scripts.forEach((script, index) => {
      mkdirSync(join(folder, String(index)))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, String(index), name), text)
      writeFileSync(join(folder, `${index}.sh`), script)
    })
    const env = { PATH: path, HOME: "/nonexistent", LC_ALL: "C.UTF-8" }
    execFileSync("/bin/bash", ["-c", driver, "driver", folder, String(scripts.length)], { env, stdio: "ignore" })
    const read = (index: number, end: string): string => readFileSync(join(folder, `${index}.${end}`), "utf8")
    return scripts.map((_, index) => ({
      stdout: read(index, "out").replaceAll(folder, ""),
      stderr: read(index, "err").replaceAll(folder, "").replace(/: line \d+: /g, ": ").replace(/\(\d+\)/g, "()").split(
        "\n",
      ).sort()
        .join("\n"),
      exitCode: Number(read(index, "code")),
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
