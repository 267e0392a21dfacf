// Writes JSON values as YAML, in the style of the scenarios.
const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$/;
const WORDS = /^(true|false|yes|no|on|off|null|~|y|n)$/i;
const TIMES = /^\d+(\.\d+)?(ms|s|m|h|d|%)$/;

function scalar(value) {
  if (typeof value !== 'string') return JSON.stringify(value);
  return (PLAIN.test(value) && !WORDS.test(value)) || TIMES.test(value) ? value : JSON.stringify(value);
}

const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isPlain = (value) => value === null || typeof value !== 'object';

/** On one line. */
export function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isMap(value)) return `{${Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`).join(', ')}}`;
  return scalar(value);
}

/** A map of some lines: a short member stands on its line. */
export function block(value, indent = '') {
  const lines = [];
  for (const [key, item] of Object.entries(value)) {
    const line = `${indent}${scalar(key)}: ${flow(item)}`;
    if (isPlain(item) || line.length <= 90) lines.push(line);
    else if (Array.isArray(item)) lines.push(`${indent}${scalar(key)}:`, ...item.map((one) => `${indent}  - ${flow(one)}`));
    else lines.push(`${indent}${scalar(key)}:`, block(item, `${indent}  `));
  }
  return lines.join('\n');
}

const ORDER = ['name', 'operation', 'when', 'per', 'hits', 'chance', 'exactly', 'during', 'enabled', 'on_request', 'then'];

/** A fault with its keys in the usual order. */
export function fault(definition) {
  const keys = Object.keys(definition).sort((left, right) => ORDER.indexOf(left) - ORDER.indexOf(right));
  return Object.fromEntries(keys.map((key) => [key, definition[key]]));
}

/** A list of faults as a scenario has it. */
export function faults(definitions) {
  return `faults:\n${definitions.map((definition) => `  - ${block(fault(definition), '    ').trimStart()}`).join('\n')}\n`;
}
