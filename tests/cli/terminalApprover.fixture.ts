/** Asks one question on its terminal, and prints the answer. */
import * as Effect from "effect/Effect"
import { denoProcess } from "../../src/cli/denoProcess.ts"
import { nodeProcess } from "../../src/cli/nodeProcess.ts"
import { ProcessOutput } from "../../src/cli/ProcessOutput.ts"
import { terminalApprover } from "../../src/cli/terminalApprover.ts"
import { askOne } from "../../src/spell/ApprovalBranch.ts"

const cli = denoProcess() ?? nodeProcess()
if (cli === undefined) throw new Error("no process")
const answer = await Effect.runPromise(askOne(terminalApprover(cli, new ProcessOutput(cli)), {
  _tag: "ApprovalRequest",
  correlationId: "c1/approval",
  invocationId: "c1",
  spell: "run_command",
  arguments: { command: "make" },
  about: "run_command make",
  suggestions: [{ decision: "allow", spell: "run_command", command: "make" }],
}))
console.log(JSON.stringify(answer))
cli.exit(0)
