/**
 * Finds the runtime's built-in modules for a service that requires them; on a runtime without them, the service is a
 * defect.
 */
import { type NodeBuiltins, nodeBuiltins } from "./nodeBuiltins.ts"

/** The defect of a service on a runtime that lacks what it needs, such as `"sockets"`: no option and no layer repair that. */
export const missingInRuntime = (service: string, what: string): Error =>
  new Error(`${service}: this runtime has no ${what}; use Deno, Bun or Node`)

/** The built-in modules. Inside of an Effect, the error that it throws is a defect. */
export const requireBuiltins = (service: string, what: string): NodeBuiltins => {
  const builtins = nodeBuiltins()
  if (builtins === undefined) throw missingInRuntime(service, what)
  return builtins
}
