/** Connects a button to a setting that is switched on and off and stored in the browser. */
import { byId } from "./dom.ts"
import type { StoredSwitch } from "./storage.ts"

/** Makes a toggle button with a stored state; `isOnByDefault` is the state before the first use. */
export const initToggle = (
  id: string,
  stored: StoredSwitch,
  isOnByDefault: boolean,
  onTurn: (on: boolean) => void,
): void => {
  const button = byId(id, HTMLButtonElement)
  const show = (on: boolean): void => {
    button.setAttribute("aria-pressed", String(on))
    onTurn(on)
  }
  button.addEventListener("click", () => {
    stored.turn(!stored.isOn(isOnByDefault))
    show(stored.isOn(isOnByDefault))
  })
  show(stored.isOn(isOnByDefault))
}
