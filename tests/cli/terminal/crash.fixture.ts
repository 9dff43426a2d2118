/** Puts the terminal into raw mode as `sluice run --tty` does, and then crashes in the way that the last argument names. */
import { denoProcess } from "../../../src/cli/denoProcess.ts"
import { nodeProcess } from "../../../src/cli/nodeProcess.ts"

const cli = denoProcess() ?? nodeProcess()
const terminal = cli?.openTerminal()
if (terminal === undefined) throw new Error("no terminal")
terminal.setRaw(true)
const leave = () => console.log("leaves")
if ("Deno" in globalThis) globalThis.addEventListener("unload", leave)
else globalThis.process.on("exit", leave)
const way = cli?.args.at(-1)
terminal.onResize(() => {
  console.log("re" + "sized")
  if (way === "listener") throw new Error("crash")
  if (way === "rejection") void Promise.reject(new Error("crash"))
  if (way === "exit") globalThis.process.exit(9)
})
console.log("is " + "raw")
setTimeout(() => {}, 60_000)
