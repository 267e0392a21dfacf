// The theme is set before the first paint, so that a dark page does not flash.
{
  let theme = null;
  try { theme = localStorage.getItem('standin.theme'); } catch { /* storage is off */ }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
