-- What a request narrowed for its run alone; null: the person's settings as they are.
alter table runs add column context text;
