/** Applies the window policy that the user types into the field of the page, and stores it in the browser. */
import * as Result from "effect/Result"
import { parsePolicy } from "../../window/parsePolicy.ts"
import type { Policy } from "../../window/Policy.ts"
import { lineCount, silence } from "../../window/policies.ts"
import { any } from "../../window/any.ts"
import { StoredValue } from "./storage.ts"

const defaultPolicy: Policy = any(lineCount(50), silence(100))

const storedName = new StoredValue(() => localStorage, "sluice-window")

export const storedPolicy = (): Policy => Result.getOrElse(parsePolicy(storedName.get() ?? ""), () => defaultPolicy)

/** Initializes the field: a valid policy applies at once, an invalid one shows its error. */
export const initPolicyField = (
  field: HTMLInputElement,
  problem: HTMLElement,
  onPolicy: (policy: Policy) => void,
): void => {
  field.value = storedPolicy().name
  field.addEventListener("change", () => {
    const text = field.value.trim()
    const policy = text === "" ? Result.succeed(defaultPolicy) : parsePolicy(text)
    const isBad = Result.isFailure(policy)
    field.setAttribute("aria-invalid", String(isBad))
    problem.textContent = isBad ? policy.failure : ""
    if (isBad) return
    field.value = policy.success.name
    storedName.set(policy.success.name)
    onPolicy(policy.success)
  })
}
