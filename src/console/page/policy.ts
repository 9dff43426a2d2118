/**
 * Where output is cut into windows: a policy that one types, and that the browser remembers.
 *
 * @module
 */
import * as Result from "effect/Result"
import { parsePolicy } from "../../window/parse.ts"
import type { Policy } from "../../window/Policy.ts"
import { lineCount, silence } from "../../window/policies.ts"
import { any } from "../../window/any.ts"
import { Kept } from "./storage.ts"

/** Fifty lines, or a tenth of a second of silence. */
const usual: Policy = any(lineCount(50), silence(100))

const kept = new Kept(() => localStorage, "sluice-window")

/** The policy that was chosen last. */
export const keptPolicy = (): Policy => Result.getOrElse(parsePolicy(kept.get() ?? ""), () => usual)

/** A field for a policy: a good one is taken at once, of another it says what is wrong with it. */
export const policyField = (
  field: HTMLInputElement,
  problem: HTMLElement,
  onPolicy: (policy: Policy) => void,
): void => {
  field.value = keptPolicy().name
  field.addEventListener("change", () => {
    const text = field.value.trim()
    const policy = text === "" ? Result.succeed(usual) : parsePolicy(text)
    const isBad = Result.isFailure(policy)
    field.setAttribute("aria-invalid", String(isBad))
    problem.textContent = isBad ? policy.failure : ""
    if (isBad) return
    field.value = policy.success.name
    kept.set(policy.success.name)
    onPolicy(policy.success)
  })
}
