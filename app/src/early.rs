//! What a page does before hydration: the composer takes the keyboard, and Enter sends the question as the form does without
//! JavaScript. Shift+Enter starts a new line, as always. A hydrated composer no longer carries `data-asleep`.

pub(crate) const SCRIPT: &str = "{const d=document;\
d.addEventListener('keydown',e=>{const t=e.target;\
if(e.key!=='Enter'||e.shiftKey||e.isComposing||t.id!=='ask'||!t.form||!t.form.hasAttribute('data-asleep'))return;\
e.preventDefault();if(t.value.trim()&&!t.form.dataset.sent){t.form.dataset.sent='1';t.form.requestSubmit()}},true);\
d.addEventListener('DOMContentLoaded',()=>{const t=d.getElementById('ask');\
if(t&&d.activeElement===d.body&&!location.hash&&matchMedia('(pointer: fine)').matches)t.focus({preventScroll:true})})}";
