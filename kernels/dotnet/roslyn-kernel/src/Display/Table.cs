using System;
using System.Collections;
using System.Collections.Generic;
using System.Data;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>
    /// A collection as a table of HTML: a row per item, a column per member. What is deeper is text; of rows, columns and long texts
    /// there are the first, with how many more.
    /// </summary>
    internal static class Table
    {
        private const int ColumnsShown = 20;
        private const int CellLength = 500;
        private const string ValueColumn = "value";

        /// <returns>Null if there is nothing to tabulate.</returns>
        public static string? Of(object? value)
        {
            switch (value)
            {
                case DataTable table:
                    var names = table.Columns.Cast<DataColumn>().Select(one => one.ColumnName).ToList();
                    return Html(names, Excerpt.Of(table.Rows), row => ((DataRow)row!).ItemArray.Select(Text));
                case Array array when array.Rank == 2 && array.Length > 0:
                    var columns = Enumerable.Range(array.GetLowerBound(1), array.GetLength(1)).ToList();
                    var rows = Enumerable.Range(array.GetLowerBound(0), array.GetLength(0)).ToList();
                    return Html(
                        columns.Select(column => column.ToString()).ToList(),
                        Excerpt.Of(rows),
                        row => columns.Select(column => Text(array.GetValue((int)row!, column))));
                case IEnumerable items when !(value is string):
                    return OfItems(Excerpt.Of(items));
                default:
                    return null;
            }
        }

        // Items of several types have the columns of all of them.
        private static string? OfItems(Excerpt items)
        {
            var columns = items.Items.SelectMany(item => HasColumns(item)
                ? PlainText.Members(item!.GetType()).Select(one => one.Name) : new[] { ValueColumn }).Distinct().ToList();
            return columns.Count == 0 ? null : Html(columns, items, item => columns.Select(name => OfMember(item, name)));
        }

        private static string OfMember(object? item, string name)
        {
            if (!HasColumns(item))
            {
                return name == ValueColumn ? Text(item) : "";
            }
            var member = PlainText.Members(item!.GetType()).FirstOrDefault(one => one.Name == name);
            return member.Get is null ? "" : PlainText.Of(member.Get, item, Text);
        }

        private static string Text(object? value) => value as string ?? PlainText.Of(value, 1);

        private static bool HasColumns(object? item) =>
            item != null
            && !(item is IEnumerable)
            && TypeFormatter.Text(item) is null
            && (!PlainText.HasOwnText(item.GetType()) || ListsItsMembers(item.GetType()))
            && PlainText.Members(item.GetType()).Any();

        private static bool ListsItsMembers(Type type) =>
            typeof(ITuple).IsAssignableFrom(type)
            || type.Name.StartsWith("<>f__AnonymousType", StringComparison.Ordinal)
            || type.IsGenericType && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>)
            // Of records, whose own text it makes.
            || type.GetMethod("PrintMembers", BindingFlags.Instance | BindingFlags.NonPublic) != null;

        private static string Html(IReadOnlyList<string> columns, Excerpt rows, Func<object?, IEnumerable<string>> cells)
        {
            var html = new StringBuilder("<table><thead><tr><th></th>");
            html.AppendJoin("", columns.Take(ColumnsShown).Select(one => $"<th>{Escaped(one)}</th>"));
            html.Append("</tr></thead><tbody>");
            for (var i = 0; i < rows.Items.Count; i++)
            {
                html.Append($"<tr><th>{i}</th>");
                html.AppendJoin("", cells(rows.Items[i]).Take(ColumnsShown).Select(one => $"<td>{Escaped(one)}</td>"));
                html.Append("</tr>");
            }
            html.Append("</tbody></table>");
            html.Append(rows.Rest.Length == 0 ? "" : $"<p>{rows.Rest} rows left out</p>");
            html.Append(columns.Count <= ColumnsShown ? "" : $"<p>{columns.Count - ColumnsShown} more columns left out</p>");
            return html.ToString();
        }

        private static string Escaped(string text) => WebUtility.HtmlEncode(text.Length <= CellLength
            ? text
            : $"{text.Substring(0, CellLength)}... ({text.Length - CellLength} more characters)");
    }
}
