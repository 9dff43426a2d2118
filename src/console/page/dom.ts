/** Finds, makes and updates DOM elements. */

/** Finds the element with an id; throws if the page lacks it. */
export const byId = <A extends HTMLElement>(id: string, kind: abstract new () => A): A => {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`)
  return found
}

type Attributes = Readonly<Record<string, string | number | undefined>>

const fill = <A extends Element>(element: A, attributes: Attributes, children: ReadonlyArray<Node | string>): A => {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, String(value))
  }
  element.append(...children)
  return element
}

export const makeElement = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes,
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[K] => fill(document.createElement(name), attributes, children)

/** Makes the terms and values of a description list; a row without a value is left out. */
export const makeDescriptions = (
  rows: ReadonlyArray<readonly [term: string, value: Node | string | undefined]>,
): ReadonlyArray<HTMLElement> =>
  rows.flatMap(([term, value]) =>
    value === undefined ? [] : [makeElement("div", {}, makeElement("dt", {}, term), makeElement("dd", {}, value))]
  )

export const makeSvgElement = <K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes,
  ...children: ReadonlyArray<Node | string>
): SVGElementTagNameMap[K] => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children)

/** Sets a text only if it differs: unchanged text is neither announced nor redrawn. */
export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}
