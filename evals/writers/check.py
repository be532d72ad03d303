"""Checks sets of evals/writers: shape, operation names, dates, networks. python3 evals/writers/check.py evals/writers/*.jsonl"""
import json,sys,re,datetime,collections,glob,os
TOOLS=[t for f in sorted(glob.glob(os.path.join(os.path.dirname(__file__),'../../crates/networks/catalog/*.json'))) for t in json.load(open(f,encoding='utf-8'))['tools']]
ops={t['name'] for t in TOOLS}
kinds={t['name']:'read' if t['read_only'] else 'write' for t in TOOLS}
NETS="admob admanager applovin unity mintegral liftoff inmobi pangle dtexchange".split()
CAPS="reporting inventory accounts mediation experiments orders deals targeting content docs assistant".split()
OUTS="answer approval connect enable clarify refuse chat".split()
bad=[]; n=0; count=collections.Counter()
def exp(i,q,e,ctx):
    global n; n+=1
    def b(m): bad.append(f'{i}: {m}  ({q[:60]})')
    for k in ('services','capability','path','outcome','tools_any'): 
        if k not in e: b('no '+k); return
    if e['capability'] not in CAPS: b('capability '+str(e['capability']))
    if e['path'] not in ('reactive','workflow'): b('path')
    if e['outcome'] not in OUTS: b('outcome '+str(e['outcome']))
    if e['services']!=sorted(e['services']): b('services not sorted')
    for s in e['services']:
        if s not in NETS: b('service '+s)
    for t in e['tools_any']+([e['write_tool']] if e.get('write_tool') else []):
        if t not in ops: b('no such operation '+t)
    w=e.get('write_tool')
    if e['outcome']=='approval' and not w: b('approval without write_tool')
    if e['outcome']!='approval' and w: b('write_tool without approval')
    if w and kinds.get(w)=='read': b('write_tool is a read: '+w)
    conn=set(ctx['connected']); dis=set(ctx.get('disabled',[]))
    if not dis<=conn: b('disabled not in connected')
    if e['outcome'] in('answer','approval') and not set(e['services'])<=conn-dis and e['capability']!='docs': b('answers from what is not usable')
    if e['outcome']=='answer' and e['capability'] not in('docs','assistant') and not e['tools_any']: b('answer without tools_any')
    if e['outcome'] in('approval',) and not e['tools_any']: b('approval without tools_any')
    s=e.get('slots')
    if s:
        for k in('date_from','date_to'):
            v=s.get(k)
            if v: 
                try: datetime.date.fromisoformat(v)
                except Exception: b('date '+str(v))
        if bool(s.get('date_from'))!=bool(s.get('date_to')): b('half a period')
        for k in('metrics','dimensions'): 
            if not isinstance(s.get(k),list): b(k+' is no list')
    elif e['capability']=='reporting' and e['outcome']=='answer' and e['path']=='reactive': b('reporting without slots (null only if it is no question for figures)') if 'slots' not in e else None
    count[e['outcome']]+=1
for f in sys.argv[1:]:
    for l in open(f,encoding='utf-8'):
        if not l.strip(): continue
        try: r=json.loads(l)
        except Exception as x: bad.append(f'{f}: not JSON: {l[:80]} {x}'); continue
        i=r.get('id','?'); ctx=r.get('context') or {}
        if 'connected' not in ctx: bad.append(f'{i}: no context.connected'); continue
        if 'turns' in r:
            for k in('title','persona','lang','tags'):
                if k not in r: bad.append(f'{i}: no {k}')
            for j,t in enumerate(r['turns'],1):
                c=dict(ctx)
                for k in('query','expect','reply'):
                    if k not in t: bad.append(f'{i}.{j}: no {k}'); break
                else:
                    bf=t.get('before')
                    if bf and bf.get('event') in('connected',): ctx={**ctx,'connected':sorted(set(ctx['connected'])|{bf['network']})}
                    if bf and bf.get('event') in('enabled',): ctx={**ctx,'disabled':[x for x in ctx.get('disabled',[]) if x!=bf['network']]}
                    exp(f'{i}.{j}',t['query'],t['expect'],ctx)
        else:
            for k in('query','expect','lang','tags','writer','means'):
                if k not in r: bad.append(f'{i}: no {k}')
            h=ctx.get('history',[])
            if h and len(h)%2: bad.append(f'{i}: history must end with the assistant')
            if 'expect' in r: exp(i,r.get('query',''),r['expect'],ctx)
print('\n'.join(bad[:80])); print(n,'checked;',len(bad),'complaints;',dict(count))
