// The vendored modules by the names that the console uses.
import { cloneElement, h, render } from './vendor/preact.js';
import htm from './vendor/htm.js';

export const html = htm.bind(h);
export { cloneElement, render };
export { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, useErrorBoundary } from './vendor/preact-hooks.js';
export { signal, computed, effect, batch, useSignal, useComputed } from './vendor/signals.js';
