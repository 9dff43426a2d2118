/** Scripts that are answered alike wherever there is no process and no file. */
import { expectedTally } from "../process/support.ts"

/** C programs that they use. */
export const programs = ["produce", "relay", "tally"] as const

/** A script and what it answers. */
export interface Case {
  readonly what: string
  readonly script: string
  readonly answers: { readonly exitCode: number; readonly stdout: string; readonly stderr: string }
}

export const cases: ReadonlyArray<Case> = [
  {
    what: "runs a script with the utilities that it brings along",
    script: "seq 1 1000 | grep 7 | sort -rn | head -2; false || echo $?; exit 3",
    answers: { exitCode: 3, stdout: "997\n987\n1\n", stderr: "" },
  },
  {
    what: "streams through WASI programs, utilities and a loop",
    script: 'produce 3000000 4096 7 | relay | cat | relay 1000 | tally | while read -r line; do echo "$line"; done',
    answers: { exitCode: 0, stdout: expectedTally(3_000_000, 7), stderr: "" },
  },
  {
    what: "ends a writer without end when its reader has enough",
    script: "produce | head -c 100000 | wc -c; echo ${PIPESTATUS[0]}",
    answers: { exitCode: 0, stdout: "100000\n141\n", stderr: "" },
  },
  {
    what: "lets the shell's own timer end a pipeline that never waits for anything else",
    script: "timeout 0.2 sh -c 'yes | cat > /dev/null'; echo $?; timeout 0.2 produce > /dev/null; echo $?",
    answers: { exitCode: 0, stdout: "124\n124\n", stderr: "" },
  },
]
