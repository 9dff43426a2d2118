/**
 * Elements.
 *
 * @module
 */

/** The element with an id; it is there, as the page is ours. */
export const byId = <A extends HTMLElement>(id: string, kind: abstract new () => A): A => {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`)
  return found
}

/** A new element with attributes and what is in it. */
export const make = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: ReadonlyArray<Node | string>
): HTMLElement => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** The same, for what is drawn. */
export const draw = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: ReadonlyArray<Node | string>
): SVGElement => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.append(...children)
  return element
}
