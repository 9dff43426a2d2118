/**
 * Handles the input field for the window policy, and stores the policy in the browser.
 *
 * @module
 */
import * as Result from "effect/Result"
import { parsePolicy } from "../../window/parse.ts"
import type { Policy } from "../../window/Policy.ts"
import { lineCount, silence } from "../../window/policies.ts"
import { any } from "../../window/any.ts"
import { StoredValue } from "./storage.ts"

/** Fifty lines, or a tenth of a second of silence. */
const usual: Policy = any(lineCount(50), silence(100))

const kept = new StoredValue(() => localStorage, "sluice-window")

/** The policy that was chosen last. */
export const storedPolicy = (): Policy => Result.getOrElse(parsePolicy(kept.get() ?? ""), () => usual)

/** A field for a policy: a good one is taken at once, of another it says what is wrong with it. */
export const initPolicyField = (
  field: HTMLInputElement,
  problem: HTMLElement,
  onPolicy: (policy: Policy) => void,
): void => {
  field.value = storedPolicy().name
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
